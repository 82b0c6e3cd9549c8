// What cuBLASLt's header does not say. How many elements a matrix has is in its layout, so that nothing checks it: a slice must be open
// memory of the device, however long.
#include <cublasLt.h>

//cudagen:library cublasLt of=cublas linux=libcublasLt.so.13,libcublasLt.so.12 windows=cublasLt64_13.dll,cublasLt64_12.dll
//cudagen:version CUBLAS_VER_MAJOR CUBLAS_VER_MINOR CUBLAS_VER_PATCH property=cublasLtGetProperty
//cudagen:trim cublasLt cublas CUBLASLT_ CUBLAS_ cuda CUDA_ _t
//cudagen:rename CUBLAS_COMPUTE_32F_FAST_TF32=Compute32FFastTF32
//cudagen:status cublasStatus_t text=cublasLtGetStatusString
//cudagen:handle cublasLtHandle_t destroy=cublasLtDestroy
//cudagen:handle cublasLtMatmulDesc_t destroy=cublasLtMatmulDescDestroy
//cudagen:handle cublasLtMatrixLayout_t destroy=cublasLtMatrixLayoutDestroy
//cudagen:handle cublasLtMatmulPreference_t destroy=cublasLtMatmulPreferenceDestroy
//cudagen:handle cublasLtMatrixTransformDesc_t destroy=cublasLtMatrixTransformDescDestroy
//cudagen:handle cublasLtEmulationDesc_t destroy=cublasLtEmulationDescDestroy
//cudagen:makes cublasLt*Create

// Values of attributes.
//
//cudagen:enum cublasOperation_t cublasLtOrder_t cublasLtEpilogue_t cublasLtMatmulTile_t cublasLtMatmulStages_t cublasLtReductionScheme_t
//cudagen:enum cublasLtMatmulSearch_t cublasLtMatmulMatrixScale_t cublasLtClusterShape_t cublasLtMatmulInnerShape_t cublasLtBatchMode_t

//cudagen:functions cublasLt*

//cudagen:functions cublasLtCreate
//cudagen:name NewHandle

//cudagen:functions cublasLtMatmulDescCreate
//cudagen:name NewMatmulDesc

//cudagen:functions cublasLtMatrixLayoutCreate
//cudagen:name NewMatrixLayout

//cudagen:functions cublasLtMatmulPreferenceCreate
//cudagen:name NewMatmulPreference

//cudagen:functions cublasLtMatrixTransformDescCreate
//cudagen:name NewMatrixTransformDesc

//cudagen:functions cublasLtEmulationDescCreate
//cudagen:name NewEmulationDesc

// Attributes are bytes, of which Value makes them. Addresses among them are not kept.
//
//cudagen:functions cublasLt*SetAttribute
//cudagen:host buf=sizeInBytes
//cudagen:value algo

//cudagen:functions cublasLt*GetAttribute
//cudagen:host buf=sizeInBytes
//cudagen:out sizeWritten
//cudagen:value algo

//cudagen:functions cublasLtMatmulDescSetAttribute
//cudagen:name SetAttribute
//cudagen:require attr!=CUBLASLT_MATMUL_DESC_POINTER_MODE the scalars of Matmul are in the memory of the host

//cudagen:functions cublasLtMatrixTransformDescSetAttribute
//cudagen:name SetAttribute
//cudagen:require attr!=CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE the scalars of MatrixTransform are in the memory of the host

//cudagen:functions cublasLtMatrixLayoutSetAttribute cublasLtMatmulPreferenceSetAttribute cublasLtEmulationDescSetAttribute
//cudagen:name SetAttribute

//cudagen:functions cublasLtMatmulDescGetAttribute cublasLtMatrixLayoutGetAttribute cublasLtMatmulPreferenceGetAttribute cublasLtMatrixTransformDescGetAttribute cublasLtEmulationDescGetAttribute
//cudagen:name GetAttribute

// Scalars have 16 bytes, of which Scalar makes them: the description says how many the library reads.
//
//cudagen:functions cublasLtMatmul
//cudagen:host alpha=16 beta=16
//cudagen:len A=0 B=0 C=0 D=0 workspace=workspaceSizeInBytes
//cudagen:nullable C workspace algo
//cudagen:value algo
//cudagen:doc computes D = alpha op(A) op(B) + beta C, and what the epilogue of the description says. The layouts say how long A to D must be, which nothing checks

//cudagen:functions cublasLtMatrixTransform
//cudagen:host alpha=16 beta=16
//cudagen:len A=0 B=0 C=0
//cudagen:nullable B
//cudagen:doc computes C = alpha op(A) + beta op(B). The layouts say how long A to C must be, which nothing checks

//cudagen:functions cublasLtMatmulAlgoGetHeuristic
//cudagen:host heuristicResultsArray=requestedAlgoCount
//cudagen:out returnAlgoCount
//cudagen:doc fills heuristicResultsArray with algorithms, the fastest first, and returns how many there are

//cudagen:functions cublasLtMatmulAlgoGetIds
//cudagen:host algoIdsArray=requestedAlgoCount
//cudagen:out returnAlgoCount

//cudagen:functions cublasLtMatmulAlgoInit
//cudagen:out algo

//cudagen:functions cublasLtMatmulAlgoCheck
//cudagen:value algo
//cudagen:out result

//cudagen:functions cublasLtGetProperty
//cudagen:out value

//cudagen:functions cublasLtHeuristicsCacheGetCapacity
//cudagen:out capacity

//cudagen:functions cublasLtLoggerOpenFile
//cudagen:text logFile

// Left out: what inline functions of the header call, callbacks, and files of C.
//
//cudagen:functions cublasLt*_internal cublasLtLoggerSetCallback cublasLtLoggerSetFile cublasLtGetStatusName
//cudagen:ignore
