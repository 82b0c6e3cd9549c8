// What cuSPARSE's header does not say: which pointers are memory of the device, how many elements they need, and what must hold of the
// arguments. Blocks for many functions come first, exceptions behind them.
#include <cusparse.h>

//cudagen:library cusparse linux=libcusparse.so.12 windows=cusparse64_12.dll
//cudagen:version CUSPARSE_VER_MAJOR CUSPARSE_VER_MINOR CUSPARSE_VER_PATCH property=cusparseGetProperty
//cudagen:trim cusparse CUSPARSE_ cuda CUDA_ Descr _t
//cudagen:rename libraryPropertyType_t=VersionPart cusparseMatDescr_t=Description cusparseSpMatDescr_t=SparseMatrix cusparseDnMatDescr_t=DenseMatrix
//cudagen:rename cusparseSpVecDescr_t=SparseVector cusparseDnVecDescr_t=DenseVector cusparseSpSVDescr_t=SpSVState cusparseSpSMDescr_t=SpSMState
//cudagen:rename cusparseSpGEMMDescr_t=SpGEMMState csric02Info_t=Csric02Info bsric02Info_t=Bsric02Info csrilu02Info_t=Csrilu02Info bsrilu02Info_t=Bsrilu02Info
//cudagen:rename bsrsv2Info_t=Bsrsv2Info bsrsm2Info_t=Bsrsm2Info csru2csrInfo_t=Csru2csrInfo pruneInfo_t=PruneInfo cusparseColorInfo_t=ColorInfo
//cudagen:status cusparseStatus_t text=cusparseGetErrorString
//cudagen:handle cusparseHandle_t destroy=cusparseDestroy stream=cusparseSetStream mode=cusparseSetPointerMode,CUSPARSE_POINTER_MODE_HOST,CUSPARSE_POINTER_MODE_DEVICE
//cudagen:handle cusparseMatDescr_t destroy=cusparseDestroyMatDescr
//cudagen:handle cusparseSpVecDescr_t const=cusparseConstSpVecDescr_t destroy=cusparseDestroySpVec
//cudagen:handle cusparseDnVecDescr_t const=cusparseConstDnVecDescr_t destroy=cusparseDestroyDnVec
//cudagen:handle cusparseSpMatDescr_t const=cusparseConstSpMatDescr_t destroy=cusparseDestroySpMat
//cudagen:handle cusparseDnMatDescr_t const=cusparseConstDnMatDescr_t destroy=cusparseDestroyDnMat
//cudagen:handle cusparseSpSVDescr_t destroy=cusparseSpSV_destroyDescr
//cudagen:handle cusparseSpSMDescr_t destroy=cusparseSpSM_destroyDescr
//cudagen:handle cusparseSpGEMMDescr_t destroy=cusparseSpGEMM_destroyDescr
//cudagen:handle csric02Info_t destroy=cusparseDestroyCsric02Info
//cudagen:handle bsric02Info_t destroy=cusparseDestroyBsric02Info
//cudagen:handle csrilu02Info_t destroy=cusparseDestroyCsrilu02Info
//cudagen:handle bsrilu02Info_t destroy=cusparseDestroyBsrilu02Info
//cudagen:handle bsrsv2Info_t destroy=cusparseDestroyBsrsv2Info
//cudagen:handle bsrsm2Info_t destroy=cusparseDestroyBsrsm2Info
//cudagen:handle csru2csrInfo_t destroy=cusparseDestroyCsru2csrInfo
//cudagen:handle pruneInfo_t destroy=cusparseDestroyPruneInfo
//cudagen:handle cusparseColorInfo_t destroy=cusparseDestroyColorInfo
//cudagen:makes cusparseCreate* cusparse*_createDescr

// Left out are 21 of 460 functions: what the handle has for itself; callbacks and files of C; plans that work on the stream of another handle;
// batches of sparse matrices; colors and compressed counts, of which it is not known where they lie; complex numbers by value.
//
//cudagen:functions cusparseGetStream cusparseGetPointerMode cusparseGetErrorName cusparseLoggerSetCallback cusparseLoggerSetFile cusparseSpMMOp*
//cudagen:ignore
//cudagen:functions cusparseC??SetStridedBatch cusparseBsrSetStridedBatch cusparse?csrcolor cusparse?nnz_compress cusparse[CZ]csr2csr_compress
//cudagen:ignore

//cudagen:functions cusparse*
//cudagen:mode alpha beta nnzTotalDevHostPtr
//cudagen:optional externalBuffer pBuffer pInputBuffer buffer

//cudagen:functions cusparse*_bufferSize cusparse*_bufferSizeExt
//cudagen:out bufferSize pBufferSize pBufferSizeInBytes bufferSizeInBytes

// Handle and settings.
//
//cudagen:functions cusparseCreate
//cudagen:name NewHandle
//cudagen:doc makes a handle
//cudagen:functions cusparseGetVersion
//cudagen:out version
//cudagen:functions cusparseGetProperty
//cudagen:out value
//cudagen:functions cusparseLoggerOpenFile
//cudagen:text logFile
//cudagen:functions cusparseCreateMatDescr
//cudagen:name NewDescription
//cudagen:doc makes a description of a matrix, for functions that do not take a SparseMatrix

// Vectors. They hold their memory, and keep how much of it there must be.
//
//cudagen:functions cusparseCreate*SpVec
//cudagen:len indices=nnz*(idxType==CUSPARSE_INDEX_64I?8:idxType==CUSPARSE_INDEX_32I?4:idxType==CUSPARSE_INDEX_16U?2:1/0) values=bytes(nnz,valueType)
//cudagen:keep size=size nnz=nnz type=valueType
//cudagen:functions cusparseCreate*DnVec
//cudagen:len values=bytes(size,valueType)
//cudagen:keep size=size type=valueType
//cudagen:functions cusparseCreateSpVec
//cudagen:name NewSpVec
//cudagen:functions cusparseCreateConstSpVec
//cudagen:name NewConstSpVec
//cudagen:functions cusparseCreateDnVec
//cudagen:name NewDnVec
//cudagen:functions cusparseCreateConstDnVec
//cudagen:name NewConstDnVec
//cudagen:functions cusparseSpVecSetValues
//cudagen:len values=bytes(spVecDescr.nnz,spVecDescr.type)
//cudagen:hold values
//cudagen:functions cusparseDnVecSetValues
//cudagen:len values=bytes(dnVecDescr.size,dnVecDescr.type)
//cudagen:hold values

// Matrices.
//
//cudagen:functions cusparseCreate*Csr
//cudagen:len csrRowOffsets=(rows+1)*(csrRowOffsetsType==CUSPARSE_INDEX_64I?8:csrRowOffsetsType==CUSPARSE_INDEX_32I?4:csrRowOffsetsType==CUSPARSE_INDEX_16U?2:1/0) csrColInd=nnz*(csrColIndType==CUSPARSE_INDEX_64I?8:csrColIndType==CUSPARSE_INDEX_32I?4:csrColIndType==CUSPARSE_INDEX_16U?2:1/0) csrValues=bytes(nnz,valueType)
//cudagen:keep first=(rows+1)*(csrRowOffsetsType==CUSPARSE_INDEX_64I?8:csrRowOffsetsType==CUSPARSE_INDEX_32I?4:csrRowOffsetsType==CUSPARSE_INDEX_16U?2:1/0) second=(csrColIndType==CUSPARSE_INDEX_64I?8:csrColIndType==CUSPARSE_INDEX_32I?4:csrColIndType==CUSPARSE_INDEX_16U?2:1/0)
//cudagen:hold csrRowOffsets=first csrColInd=second csrValues=values
//cudagen:functions cusparseCreate*Csc
//cudagen:len cscColOffsets=(cols+1)*(cscColOffsetsType==CUSPARSE_INDEX_64I?8:cscColOffsetsType==CUSPARSE_INDEX_32I?4:cscColOffsetsType==CUSPARSE_INDEX_16U?2:1/0) cscRowInd=nnz*(cscRowIndType==CUSPARSE_INDEX_64I?8:cscRowIndType==CUSPARSE_INDEX_32I?4:cscRowIndType==CUSPARSE_INDEX_16U?2:1/0) cscValues=bytes(nnz,valueType)
//cudagen:keep first=(cols+1)*(cscColOffsetsType==CUSPARSE_INDEX_64I?8:cscColOffsetsType==CUSPARSE_INDEX_32I?4:cscColOffsetsType==CUSPARSE_INDEX_16U?2:1/0) second=(cscRowIndType==CUSPARSE_INDEX_64I?8:cscRowIndType==CUSPARSE_INDEX_32I?4:cscRowIndType==CUSPARSE_INDEX_16U?2:1/0)
//cudagen:hold cscColOffsets=first cscRowInd=second cscValues=values
//cudagen:functions cusparseCreate*Coo
//cudagen:len cooRowInd=nnz*(cooIdxType==CUSPARSE_INDEX_64I?8:cooIdxType==CUSPARSE_INDEX_32I?4:cooIdxType==CUSPARSE_INDEX_16U?2:1/0) cooColInd=nnz*(cooIdxType==CUSPARSE_INDEX_64I?8:cooIdxType==CUSPARSE_INDEX_32I?4:cooIdxType==CUSPARSE_INDEX_16U?2:1/0) cooValues=bytes(nnz,valueType)
//cudagen:keep second=(cooIdxType==CUSPARSE_INDEX_64I?8:cooIdxType==CUSPARSE_INDEX_32I?4:cooIdxType==CUSPARSE_INDEX_16U?2:1/0)
//cudagen:hold cooRowInd=first cooColInd=second cooValues=values
//cudagen:functions cusparseCreate*Csr cusparseCreate*Csc cusparseCreate*Coo
//cudagen:keep rows=rows cols=cols nnz=nnz type=valueType bytes=bytes(nnz,valueType)
//cudagen:functions cusparseCreateBsr
//cudagen:len bsrRowOffsets=(brows+1)*(bsrRowOffsetsType==CUSPARSE_INDEX_64I?8:bsrRowOffsetsType==CUSPARSE_INDEX_32I?4:bsrRowOffsetsType==CUSPARSE_INDEX_16U?2:1/0) bsrColInd=bnnz*(bsrColIndType==CUSPARSE_INDEX_64I?8:bsrColIndType==CUSPARSE_INDEX_32I?4:bsrColIndType==CUSPARSE_INDEX_16U?2:1/0) bsrValues=bytes(bnnz*rowBlockSize*colBlockSize,valueType)
//cudagen:keep rows=brows*rowBlockSize cols=bcols*colBlockSize nnz=bnnz type=valueType bytes=bytes(bnnz*rowBlockSize*colBlockSize,valueType)
//cudagen:hold bsrRowOffsets=first bsrColInd=second bsrValues=values
//cudagen:functions cusparseCreateConstBsr
//cudagen:len bsrRowOffsets=(brows+1)*(bsrRowOffsetsType==CUSPARSE_INDEX_64I?8:bsrRowOffsetsType==CUSPARSE_INDEX_32I?4:bsrRowOffsetsType==CUSPARSE_INDEX_16U?2:1/0) bsrColInd=bnnz*(bsrColIndType==CUSPARSE_INDEX_64I?8:bsrColIndType==CUSPARSE_INDEX_32I?4:bsrColIndType==CUSPARSE_INDEX_16U?2:1/0) bsrValues=bytes(bnnz*rowBlockDim*colBlockDim,valueType)
//cudagen:keep rows=brows*rowBlockDim cols=bcols*colBlockDim nnz=bnnz type=valueType bytes=bytes(bnnz*rowBlockDim*colBlockDim,valueType)
//cudagen:hold bsrRowOffsets=first bsrColInd=second bsrValues=values
//cudagen:functions cusparseCreate*BlockedEll
//cudagen:require ellBlockSize>0 blocks have rows and columns
//cudagen:len ellColInd=(rows+ellBlockSize-1)/ellBlockSize*(ellCols/ellBlockSize)*(ellIdxType==CUSPARSE_INDEX_64I?8:ellIdxType==CUSPARSE_INDEX_32I?4:ellIdxType==CUSPARSE_INDEX_16U?2:1/0) ellValue=bytes((rows+ellBlockSize-1)/ellBlockSize*ellBlockSize*ellCols,valueType)
//cudagen:keep rows=rows cols=cols nnz=0 type=valueType bytes=bytes((rows+ellBlockSize-1)/ellBlockSize*ellBlockSize*ellCols,valueType)
//cudagen:hold ellColInd=first ellValue=values
//cudagen:functions cusparseCreate*SlicedEll
//cudagen:require sliceSize>0 slices have rows
//cudagen:len sellSliceOffsets=((rows+sliceSize-1)/sliceSize+1)*(sellSliceOffsetsType==CUSPARSE_INDEX_64I?8:sellSliceOffsetsType==CUSPARSE_INDEX_32I?4:sellSliceOffsetsType==CUSPARSE_INDEX_16U?2:1/0) sellColInd=sellValuesSize*(sellColIndType==CUSPARSE_INDEX_64I?8:sellColIndType==CUSPARSE_INDEX_32I?4:sellColIndType==CUSPARSE_INDEX_16U?2:1/0) sellValues=bytes(sellValuesSize,valueType)
//cudagen:keep rows=rows cols=cols nnz=nnz type=valueType bytes=bytes(sellValuesSize,valueType)
//cudagen:hold sellSliceOffsets=first sellColInd=second sellValues=values
//cudagen:functions cusparseCreate*DnMat
//cudagen:len values=bytes(order==CUSPARSE_ORDER_ROW?matrix(cols,rows,ld):matrix(rows,cols,ld),valueType)
//cudagen:keep rows=rows cols=cols type=valueType count=order==CUSPARSE_ORDER_ROW?matrix(cols,rows,ld):matrix(rows,cols,ld) need=bytes(order==CUSPARSE_ORDER_ROW?matrix(cols,rows,ld):matrix(rows,cols,ld),valueType) have=len(values)
//cudagen:functions cusparseSpMatSetValues
//cudagen:len values=max(spMatDescr.bytes,bytes(spMatDescr.nnz,spMatDescr.type))
//cudagen:hold values
//cudagen:functions cusparseCsrSetPointers
//cudagen:len csrRowOffsets=spMatDescr.first csrColInd=spMatDescr.nnz*spMatDescr.second csrValues=bytes(spMatDescr.nnz,spMatDescr.type)
//cudagen:hold csrRowOffsets=first csrColInd=second csrValues=values
//cudagen:functions cusparseCscSetPointers
//cudagen:len cscColOffsets=spMatDescr.first cscRowInd=spMatDescr.nnz*spMatDescr.second cscValues=bytes(spMatDescr.nnz,spMatDescr.type)
//cudagen:hold cscColOffsets=first cscRowInd=second cscValues=values
//cudagen:functions cusparseCooSetPointers
//cudagen:len cooRows=spMatDescr.nnz*spMatDescr.second cooColumns=spMatDescr.nnz*spMatDescr.second cooValues=bytes(spMatDescr.nnz,spMatDescr.type)
//cudagen:hold cooRows=first cooColumns=second cooValues=values
//cudagen:functions cusparseDnMatSetValues
//cudagen:len values=dnMatDescr.need
//cudagen:hold values
//cudagen:keep have=len(values)
//cudagen:functions cusparseDnMatSetStridedBatch
//cudagen:require bytes(batch(batchCount,batchStride,dnMatDescr.count),dnMatDescr.type)<=dnMatDescr.have the memory of the matrix must have all of the batch
//cudagen:keep need=bytes(batch(batchCount,batchStride,dnMatDescr.count),dnMatDescr.type)
//cudagen:functions cusparseCreateCsr
//cudagen:name NewCsr
//cudagen:functions cusparseCreateConstCsr
//cudagen:name NewConstCsr
//cudagen:functions cusparseCreateCsc
//cudagen:name NewCsc
//cudagen:functions cusparseCreateConstCsc
//cudagen:name NewConstCsc
//cudagen:functions cusparseCreateBsr
//cudagen:name NewBsr
//cudagen:functions cusparseCreateConstBsr
//cudagen:name NewConstBsr
//cudagen:functions cusparseCreateCoo
//cudagen:name NewCoo
//cudagen:functions cusparseCreateConstCoo
//cudagen:name NewConstCoo
//cudagen:functions cusparseCreateBlockedEll
//cudagen:name NewBlockedEll
//cudagen:functions cusparseCreateConstBlockedEll
//cudagen:name NewConstBlockedEll
//cudagen:functions cusparseCreateSlicedEll
//cudagen:name NewSlicedEll
//cudagen:functions cusparseCreateConstSlicedEll
//cudagen:name NewConstSlicedEll
//cudagen:functions cusparseCreateDnMat
//cudagen:name NewDnMat
//cudagen:functions cusparseCreateConstDnMat
//cudagen:name NewConstDnMat

// What descriptors tell.
//
//cudagen:functions cusparse*SpVecGet* cusparse*DnVecGet* cusparse*SpMatGet* cusparse*DnMatGet* cusparse*CsrGet cusparse*CscGet cusparse*CooGet cusparse*BlockedEllGet
//cudagen:out size nnz idxType idxBase valueType type format rows cols ld order batchCount batchStride csrRowOffsetsType csrColIndType cscColOffsetsType cscRowIndType ellBlockSize ellCols ellIdxType
//cudagen:out indices=ptr values=ptr csrRowOffsets=ptr csrColInd=ptr csrValues=ptr cscColOffsets=ptr cscRowInd=ptr cscValues=ptr cooRowInd=ptr cooColInd=ptr cooValues=ptr ellColInd=ptr ellValue=ptr
// Counts that cuSPARSE finds are known when it was asked for them.
//
//cudagen:functions cusparseSpMatGetSize
//cudagen:keep nnz=nnz
//cudagen:functions cusparseDenseToSparse_analysis
//cudagen:keep matB.nnz=1/0
//cudagen:functions cusparseSpGEMM_compute cusparseSpGEMMreuse_nnz
//cudagen:keep matC.nnz=1/0

//cudagen:functions cusparseSpMat?etAttribute
//cudagen:host data=dataSize

// Sparse and dense vectors. Scalars of halves are float32.
//
//cudagen:functions cusparseAxpby cusparseGather cusparseScatter cusparseRot cusparseSpVV*
//cudagen:require vecX.size==vecY.size the vectors have different sizes
//cudagen:functions cusparseAxpby
//cudagen:mode alpha=(vecX.type==CUDA_C_16F||vecX.type==CUDA_C_16BF?8:max(4,bytes(1,vecX.type))) beta=(vecX.type==CUDA_C_16F||vecX.type==CUDA_C_16BF?8:max(4,bytes(1,vecX.type)))
//cudagen:doc makes Y = alpha X + beta Y
//cudagen:functions cusparseRot
//cudagen:mode c_coeff=(vecX.type==CUDA_C_16F||vecX.type==CUDA_C_16BF?8:max(4,bytes(1,vecX.type))) s_coeff=(vecX.type==CUDA_C_16F||vecX.type==CUDA_C_16BF?8:max(4,bytes(1,vecX.type)))
//cudagen:functions cusparseSpVV cusparseSpVV_bufferSize
//cudagen:mode result=bytes(1,computeType)
//cudagen:functions cusparseSpVV
//cudagen:len externalBuffer=asked(_bufferSize)

// Matrices and vectors. Scalars have the type that is calculated with.
//
//cudagen:functions cusparseSpMV* cusparseSpSV_[bas]* cusparseSpMM* cusparseSpSM_[bas]* cusparseSpGEMM_[we]* cusparseSpGEMM_co* cusparseSpGEMMreuse_compute cusparseSDDMM*
//cudagen:mode alpha=bytes(1,computeType)
//cudagen:functions cusparseSpMV* cusparseSpMM* cusparseSpGEMM_[we]* cusparseSpGEMM_co* cusparseSpGEMMreuse_compute cusparseSDDMM*
//cudagen:mode beta=bytes(1,computeType)

//cudagen:functions cusparseSpMV*
//cudagen:require (opA==CUSPARSE_OPERATION_NON_TRANSPOSE?matA.cols:matA.rows)==vecX.size x has an element for each column of op(A)
//cudagen:require (opA==CUSPARSE_OPERATION_NON_TRANSPOSE?matA.rows:matA.cols)==vecY.size y has an element for each row of op(A)
//cudagen:functions cusparseSpMV cusparseSpMV_preprocess
//cudagen:len externalBuffer=asked(_bufferSize)
//cudagen:functions cusparseSpMV
//cudagen:doc makes Y = alpha op(A) X + beta Y

//cudagen:functions cusparseSpSV_[bas]*
//cudagen:require matA.rows==matA.cols&&matA.rows==vecX.size&&matA.rows==vecY.size the matrix is square, and the vectors have its size
//cudagen:functions cusparseSpSM_[bas]*
//cudagen:require matA.rows==matA.cols the matrix is square
//cudagen:require matA.rows==matC.rows&&(opB==CUSPARSE_OPERATION_NON_TRANSPOSE?matB.rows:matB.cols)==matC.rows&&(opB==CUSPARSE_OPERATION_NON_TRANSPOSE?matB.cols:matB.rows)==matC.cols the matrices do not fit together
//cudagen:functions cusparseSpSV_analysis
//cudagen:len externalBuffer=asked(_bufferSize)
//cudagen:hold externalBuffer=spsvDescr.buffer
//cudagen:keep spsvDescr.rows=matA.rows spsvDescr.nnz=matA.nnz spsvDescr.type=matA.type
//cudagen:functions cusparseSpSM_analysis
//cudagen:len externalBuffer=asked(_bufferSize)
//cudagen:hold externalBuffer=spsmDescr.buffer
//cudagen:keep spsmDescr.rows=matA.rows spsmDescr.nnz=matA.nnz spsmDescr.type=matA.type
//cudagen:functions cusparseSpSV_updateMatrix
//cudagen:len newValues=bytes(updatePart==CUSPARSE_SPSV_UPDATE_DIAGONAL?spsvDescr.rows:spsvDescr.nnz,spsvDescr.type)
//cudagen:functions cusparseSpSM_updateMatrix
//cudagen:len newValues=bytes(updatePart==CUSPARSE_SPSM_UPDATE_DIAGONAL?spsmDescr.rows:spsmDescr.nnz,spsmDescr.type)
//cudagen:functions cusparseSpSV_createDescr
//cudagen:name NewSpSVState
//cudagen:functions cusparseSpSM_createDescr
//cudagen:name NewSpSMState

//cudagen:functions cusparseSpMM cusparseSpMM_*
//cudagen:require (opA==CUSPARSE_OPERATION_NON_TRANSPOSE?matA.cols:matA.rows)==(opB==CUSPARSE_OPERATION_NON_TRANSPOSE?matB.rows:matB.cols) op(A) and op(B) do not fit together
//cudagen:require (opA==CUSPARSE_OPERATION_NON_TRANSPOSE?matA.rows:matA.cols)==matC.rows&&(opB==CUSPARSE_OPERATION_NON_TRANSPOSE?matB.cols:matB.rows)==matC.cols C has another shape than op(A) op(B)
//cudagen:functions cusparseSpMM cusparseSpMM_preprocess
//cudagen:len externalBuffer=asked(_bufferSize)
//cudagen:functions cusparseSpMM
//cudagen:doc makes C = alpha op(A) op(B) + beta C, of a sparse and a dense matrix

//cudagen:functions cusparseSDDMM*
//cudagen:require (opA==CUSPARSE_OPERATION_NON_TRANSPOSE?matA.cols:matA.rows)==(opB==CUSPARSE_OPERATION_NON_TRANSPOSE?matB.rows:matB.cols) op(A) and op(B) do not fit together
//cudagen:require (opA==CUSPARSE_OPERATION_NON_TRANSPOSE?matA.rows:matA.cols)==matC.rows&&(opB==CUSPARSE_OPERATION_NON_TRANSPOSE?matB.cols:matB.rows)==matC.cols C has another shape than op(A) op(B)
//cudagen:functions cusparseSDDMM cusparseSDDMM_preprocess
//cudagen:len externalBuffer=asked(_bufferSize)

//cudagen:functions cusparseSparseToDense* cusparseDenseToSparse*
//cudagen:require matA.rows==matB.rows&&matA.cols==matB.cols the matrices have different shapes
//cudagen:functions cusparseSparseToDense cusparseDenseToSparse_analysis cusparseDenseToSparse_convert
//cudagen:len externalBuffer=asked(_bufferSize)

// Products of sparse matrices. Without a buffer, a function tells how large it must be; the state goes on using it. Of those that are used again,
// cusparseSpGEMMreuse_nnz reads the first buffer, and cusparseSpGEMMreuse_copy the third one.
//
//cudagen:functions cusparseSpGEMM_[we]* cusparseSpGEMM_co* cusparseSpGEMMreuse_*
//cudagen:require matA.cols==matB.rows&&matA.rows==matC.rows&&matB.cols==matC.cols the matrices do not fit together
//cudagen:functions cusparseSpGEMM_createDescr
//cudagen:name NewSpGEMMState
//cudagen:functions cusparseSpGEMM_getNumProducts
//cudagen:out num_prods
//cudagen:functions cusparseSpGEMM_workEstimation
//cudagen:value bufferSize1
//cudagen:len externalBuffer1=go.at(bufferSize1)
//cudagen:nullable externalBuffer1
//cudagen:hold externalBuffer1=spgemmDescr.first
//cudagen:functions cusparseSpGEMM_compute
//cudagen:value bufferSize2
//cudagen:len externalBuffer2=go.at(bufferSize2)
//cudagen:nullable externalBuffer2
//cudagen:hold externalBuffer2=spgemmDescr.second
//cudagen:functions cusparseSpGEMM_estimateMemory
//cudagen:value bufferSize3
//cudagen:out bufferSize2
//cudagen:len externalBuffer3=go.at(bufferSize3)
//cudagen:nullable externalBuffer3
//cudagen:functions cusparseSpGEMMreuse_workEstimation
//cudagen:value bufferSize1
//cudagen:len externalBuffer1=go.at(bufferSize1)
//cudagen:nullable externalBuffer1
//cudagen:hold externalBuffer1=spgemmDescr.first
//cudagen:functions cusparseSpGEMMreuse_nnz
//cudagen:value bufferSize2 bufferSize3 bufferSize4
//cudagen:len externalBuffer2=go.at(bufferSize2) externalBuffer3=go.at(bufferSize3) externalBuffer4=go.at(bufferSize4)
//cudagen:nullable externalBuffer2 externalBuffer3 externalBuffer4
//cudagen:hold externalBuffer3=spgemmDescr.second externalBuffer4=spgemmDescr.third
//cudagen:functions cusparseSpGEMMreuse_copy
//cudagen:value bufferSize5
//cudagen:len externalBuffer5=go.at(bufferSize5)
//cudagen:nullable externalBuffer5
//cudagen:hold externalBuffer5=spgemmDescr.first

// Functions with a type in their names, which take a matrix as three arrays.
//
//cudagen:functions cusparse[SDCZ]gemvi
//cudagen:len A=matrix(m,n,lda) xVal=nnz xInd=nnz y=transA==CUSPARSE_OPERATION_NON_TRANSPOSE?m:n pBuffer=asked(_bufferSize)

// Blocks lie one behind the other.
//
//cudagen:functions cusparse[SDCZ]bsrmv cusparse[SDCZ]bsrxmv cusparse[SDCZ]bsrsv2_bufferSize cusparse[SDCZ]bsrsv2_analysis cusparse[SDCZ]bsrsv2_solve
//cudagen:len bsrSortedValA=nnzb*blockDim*blockDim bsrSortedRowPtrA=mb+1 bsrSortedColIndA=nnzb
//cudagen:functions cusparse[SDCZ]bsrsv2_bufferSizeExt
//cudagen:len bsrSortedValA=nnzb*blockSize*blockSize bsrSortedRowPtrA=mb+1 bsrSortedColIndA=nnzb
//cudagen:functions cusparse[SDCZ]bsrmm
//cudagen:len bsrSortedValA=nnzb*blockSize*blockSize bsrSortedRowPtrA=mb+1 bsrSortedColIndA=nnzb
//cudagen:len B=transB==CUSPARSE_OPERATION_NON_TRANSPOSE?matrix(kb*blockSize,n,ldb):matrix(n,kb*blockSize,ldb) C=matrix(mb*blockSize,n,ldc)
//cudagen:functions cusparse[SDCZ]bsrsm2_*
//cudagen:len bsrSortedVal=nnzb*blockSize*blockSize bsrSortedRowPtr=mb+1 bsrSortedColInd=nnzb
//cudagen:functions cusparse[SDCZ]bsrilu02_bufferSizeExt cusparse[SDCZ]bsric02_bufferSizeExt
//cudagen:len bsrSortedVal=nnzb*blockSize*blockSize bsrSortedRowPtr=mb+1 bsrSortedColInd=nnzb
//cudagen:functions cusparse[SDCZ]bsrilu02 cusparse[SDCZ]bsric02 cusparse[SDCZ]bsri*02_bufferSize cusparse[SDCZ]bsri*02_analysis
//cudagen:len bsrSortedVal=nnzb*blockDim*blockDim bsrSortedRowPtr=mb+1 bsrSortedColInd=nnzb
//cudagen:functions cusparse[SDCZ]bsrmv
//cudagen:len x=nb*blockDim y=mb*blockDim
//cudagen:functions cusparse[SDCZ]bsrxmv
//cudagen:len bsrSortedMaskPtrA=sizeOfMask bsrSortedRowPtrA=mb bsrSortedEndPtrA=mb x=nb*blockDim y=mb*blockDim
//cudagen:functions cusparse[SDCZ]bsrsv2_analysis cusparse[SDCZ]bsrsv2_solve cusparse[SDCZ]bsrsm2_analysis cusparse[SDCZ]bsrsm2_solve cusparse[SDCZ]bsrilu02 cusparse[SDCZ]bsrilu02_analysis cusparse[SDCZ]bsric02
//cudagen:len pBuffer=asked(_bufferSize)
//cudagen:functions cusparse[SDCZ]bsric02_analysis
//cudagen:len pInputBuffer=asked(_bufferSize)
//cudagen:functions cusparse[SDCZ]bsrsv2_solve
//cudagen:len f=mb*blockDim x=mb*blockDim
//cudagen:functions cusparse[SDCZ]bsrsm2_solve
//cudagen:len B=transXY==CUSPARSE_OPERATION_NON_TRANSPOSE?matrix(mb*blockSize,n,ldb):matrix(n,mb*blockSize,ldb) X=transXY==CUSPARSE_OPERATION_NON_TRANSPOSE?matrix(mb*blockSize,n,ldx):matrix(n,mb*blockSize,ldx)
//cudagen:functions cusparseX*_zeroPivot
//cudagen:mode position
//cudagen:functions cusparse[SDCZ]*02_numericBoost
//cudagen:mode tol boost_val

//cudagen:functions cusparse[SDCZ]csri*02_bufferSize cusparse[SDCZ]csri*02_analysis
//cudagen:len csrSortedValA=nnz csrSortedRowPtrA=m+1 csrSortedColIndA=nnz
//cudagen:functions cusparse[SDCZ]csri*02_bufferSizeExt
//cudagen:len csrSortedVal=nnz csrSortedRowPtr=m+1 csrSortedColInd=nnz
//cudagen:functions cusparse[SDCZ]csrilu02 cusparse[SDCZ]csric02
//cudagen:len csrSortedValA_valM=nnz csrSortedRowPtrA=m+1 csrSortedColIndA=nnz pBuffer=asked(_bufferSize,csrSortedValA=csrSortedValA_valM)
//cudagen:functions cusparse[SDCZ]csri*02_analysis
//cudagen:len pBuffer=asked(_bufferSize)

// Three and five diagonals.
//
//cudagen:functions cusparse[SDCZ]gtsv2 cusparse[SDCZ]gtsv2_*
//cudagen:len dl=m d=m du=m B=matrix(m,n,ldb)
//cudagen:functions cusparse[SDCZ]gtsv2StridedBatch*
//cudagen:len dl=batch(batchCount,batchStride,m) d=batch(batchCount,batchStride,m) du=batch(batchCount,batchStride,m) x=batch(batchCount,batchStride,m)
//cudagen:functions cusparse[SDCZ]gtsvInterleavedBatch* cusparse[SDCZ]gpsvInterleavedBatch*
//cudagen:len ds=m*batchCount dl=m*batchCount d=m*batchCount du=m*batchCount dw=m*batchCount x=m*batchCount
//cudagen:functions cusparse[SDCZ]gtsv2 cusparse[SDCZ]gtsv2_nopivot cusparse[SDCZ]gtsv2StridedBatch cusparse[SDCZ]g?svInterleavedBatch
//cudagen:len pBuffer=asked(_bufferSizeExt)

// Conversions. How many elements results have is in the memory of the device, where nothing here sees it: nothing checks their addresses.
//
//cudagen:functions cusparse[SDCZ]csrgeam2* cusparseXcsrgeam2Nnz
//cudagen:len csrSortedValA=nnzA csrSortedRowPtrA=m+1 csrSortedColIndA=nnzA csrSortedValB=nnzB csrSortedRowPtrB=m+1 csrSortedColIndB=nnzB csrSortedRowPtrC=m+1
//cudagen:ptr csrSortedValC csrSortedColIndC workspace
//cudagen:functions cusparse[SDCZ]csrgeam2
//cudagen:len pBuffer=asked(_bufferSizeExt)
//cudagen:functions cusparse[SDCZ]nnz
//cudagen:len A=matrix(m,n,lda) nnzPerRowCol=dirA==CUSPARSE_DIRECTION_ROW?m:n
//cudagen:functions cusparse[SDCZ]csr2csr_compress
//cudagen:len csrSortedValA=nnzA csrSortedColIndA=nnzA csrSortedRowPtrA=m+1 nnzPerRow=m csrSortedRowPtrC=m+1
//cudagen:ptr csrSortedValC csrSortedColIndC
//cudagen:functions cusparseXcoo2csr
//cudagen:len cooRowInd=nnz csrSortedRowPtr=m+1
//cudagen:functions cusparseXcsr2coo
//cudagen:len cooRowInd=nnz csrSortedRowPtr=m+1
//cudagen:functions cusparseXcsr2bsrNnz cusparse[SDCZ]csr2bsr
//cudagen:require blockDim>0 blocks have rows and columns
//cudagen:len csrSortedRowPtrA=m+1 bsrSortedRowPtrC=(m+blockDim-1)/blockDim+1
//cudagen:ptr csrSortedValA csrSortedColIndA bsrSortedValC bsrSortedColIndC
//cudagen:functions cusparse[SDCZ]bsr2csr
//cudagen:len bsrSortedRowPtrA=mb+1 csrSortedRowPtrC=mb*blockDim+1
//cudagen:ptr bsrSortedValA bsrSortedColIndA csrSortedValC csrSortedColIndC
//cudagen:functions cusparse[SDCZ]gebsr2gebsc*
//cudagen:len bsrSortedVal=nnzb*rowBlockDim*colBlockDim bsrSortedRowPtr=mb+1 bsrSortedColInd=nnzb bscVal=nnzb*rowBlockDim*colBlockDim bscRowInd=nnzb bscColPtr=nb+1
//cudagen:functions cusparse[SDCZX]gebsr2csr
//cudagen:len bsrSortedRowPtrA=mb+1 csrSortedRowPtrC=mb*rowBlockDim+1
//cudagen:ptr bsrSortedValA bsrSortedColIndA csrSortedValC csrSortedColIndC
//cudagen:functions cusparse[SDCZX]csr2gebsr*
//cudagen:require rowBlockDim>0 blocks have rows and columns
//cudagen:len csrSortedRowPtrA=m+1
//cudagen:ptr csrSortedValA csrSortedColIndA bsrSortedValC bsrSortedColIndC
//cudagen:functions cusparseXcsr2gebsrNnz cusparse[SDCZ]csr2gebsr
//cudagen:len bsrSortedRowPtrC=(m+rowBlockDim-1)/rowBlockDim+1
//cudagen:functions cusparse[SDCZX]gebsr2gebsr*
//cudagen:len bsrSortedRowPtrA=mb+1 bsrSortedColIndA=nnzb
//cudagen:functions cusparse[SDCZ]gebsr2gebsr*
//cudagen:len bsrSortedValA=nnzb*rowBlockDimA*colBlockDimA
//cudagen:functions cusparseXgebsr2gebsrNnz cusparse[SDCZ]gebsr2gebsr
//cudagen:require rowBlockDimC>0 blocks have rows and columns
//cudagen:len bsrSortedRowPtrC=(mb*rowBlockDimA+rowBlockDimC-1)/rowBlockDimC+1
//cudagen:functions cusparse[SDCZ]gebsr2gebsr
//cudagen:ptr bsrSortedValC bsrSortedColIndC
//cudagen:functions cusparse[SDCZ]gebsr2gebsc cusparse[SDCZ]csr2gebsr cusparse[SDCZ]gebsr2gebsr
//cudagen:len pBuffer=asked(_bufferSize)
//cudagen:functions cusparseXcsr2gebsrNnz cusparseXgebsr2gebsrNnz
//cudagen:ptr pBuffer
//cudagen:functions cusparseCreateIdentityPermutation
//cudagen:len p=n
//cudagen:functions cusparseXcoosort*
//cudagen:len cooRowsA=nnz cooColsA=nnz
//cudagen:functions cusparseXcoosortBy*
//cudagen:len P=nnz pBuffer=asked(cusparseXcoosort_bufferSizeExt)
//cudagen:nullable P
//cudagen:functions cusparseXcsrsort*
//cudagen:len csrRowPtrA=m+1 csrColIndA=nnz
//cudagen:functions cusparseXcscsort*
//cudagen:len cscColPtrA=n+1 cscRowIndA=nnz
//cudagen:functions cusparseXcsrsort cusparseXcscsort
//cudagen:len P=nnz pBuffer=asked(_bufferSizeExt)
//cudagen:nullable P
//cudagen:functions cusparse[SDCZ]csru2csr* cusparse[SDCZ]csr2csru
//cudagen:len csrVal=nnz csrRowPtr=m+1 csrColInd=nnz
//cudagen:functions cusparse[SDCZ]csru2csr cusparse[SDCZ]csr2csru
//cudagen:len pBuffer=asked(cusparse?csru2csr_bufferSizeExt)
//cudagen:functions cusparseCsr2cscEx2*
//cudagen:len csrVal=bytes(nnz,valType) csrRowPtr=m+1 csrColInd=nnz cscVal=bytes(nnz,valType) cscColPtr=n+1 cscRowInd=nnz
//cudagen:functions cusparseCsr2cscEx2
//cudagen:len buffer=asked(_bufferSize)

//cudagen:functions cusparse[HSD]prune*
//cudagen:mode threshold
//cudagen:functions cusparse[HSD]pruneDense2csr*
//cudagen:len A=matrix(m,n,lda)
//cudagen:functions cusparse[HSD]pruneCsr2csr*
//cudagen:len csrSortedValA=nnzA csrSortedRowPtrA=m+1 csrSortedColIndA=nnzA
//cudagen:functions cusparse[HSD]prune*Nnz*
//cudagen:len csrRowPtrC=m+1 csrSortedRowPtrC=m+1
//cudagen:ptr pBuffer
//cudagen:functions cusparse[HSD]prune*csr cusparse[HSD]prune*Percentage cusparse[HSD]prune*_bufferSizeExt
//cudagen:len csrSortedRowPtrC=m+1
//cudagen:ptr csrSortedValC csrSortedColIndC
//cudagen:functions cusparse[HSD]pruneDense2csr cusparse[HSD]pruneCsr2csr cusparse[HSD]pruneDense2csrByPercentage cusparse[HSD]pruneCsr2csrByPercentage
//cudagen:len pBuffer=asked(_bufferSizeExt)
//cudagen:functions cusparseCreateCsric02Info
//cudagen:name NewCsric02Info
//cudagen:functions cusparseCreateBsric02Info
//cudagen:name NewBsric02Info
//cudagen:functions cusparseCreateCsrilu02Info
//cudagen:name NewCsrilu02Info
//cudagen:functions cusparseCreateBsrilu02Info
//cudagen:name NewBsrilu02Info
//cudagen:functions cusparseCreateBsrsv2Info
//cudagen:name NewBsrsv2Info
//cudagen:functions cusparseCreateBsrsm2Info
//cudagen:name NewBsrsm2Info
//cudagen:functions cusparseCreateCsru2csrInfo
//cudagen:name NewCsru2csrInfo
//cudagen:functions cusparseCreateColorInfo
//cudagen:name NewColorInfo
//cudagen:functions cusparseCreatePruneInfo
//cudagen:name NewPruneInfo
