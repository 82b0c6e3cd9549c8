// What cuBLAS's header does not say: which pointers are memory of the device, how many elements they need, and what must hold of the
// arguments. Blocks for many functions come first, exceptions behind them.
#include <cublas_api.h>

//cudagen:library cublas linux=libcublas.so.13,libcublas.so.12 windows=cublas64_13.dll,cublas64_12.dll
//cudagen:version CUBLAS_VER_MAJOR CUBLAS_VER_MINOR CUBLAS_VER_PATCH property=cublasGetProperty
//cudagen:trim cublas CUBLAS_ cuda CUDA_ _v2 _t
//cudagen:rename CUBLAS_COMPUTE_32F_FAST_TF32=Compute32FFastTF32 CUBLAS_TF32_TENSOR_OP_MATH=TF32TensorOpMath
//cudagen:prefer _64
//cudagen:status cublasStatus_t text=cublasGetStatusString
//cudagen:handle cublasHandle_t destroy=cublasDestroy_v2 stream=cublasSetStream_v2 mode=cublasSetPointerMode_v2,CUBLAS_POINTER_MODE_HOST,CUBLAS_POINTER_MODE_DEVICE
//cudagen:makes cublasCreate_v2

// All functions of the header. A vector lies from its pointer on, whatever the sign of its increment.
//
//cudagen:functions cublas*
//cudagen:mode alpha beta result
//cudagen:len x=vector(n,incx) y=vector(n,incy)

// Handle and settings.
//
//cudagen:functions cublasCreate_v2
//cudagen:name NewHandle
//cudagen:doc makes a handle

//cudagen:functions cublasGetVersion_v2
//cudagen:out version
//cudagen:doc returns the version of the library: 130100 is 13.1

//cudagen:functions cublasGetProperty
//cudagen:out value

//cudagen:functions cublasGetAtomicsMode cublasGetMathMode
//cudagen:out mode

//cudagen:functions cublasGetSmCountTarget
//cudagen:out smCountTarget

//cudagen:functions cublasGetEmulationStrategy
//cudagen:out emulationStrategy

//cudagen:functions cublasGetEmulationSpecialValuesSupport
//cudagen:out mask

//cudagen:functions cublasGetFixedPointEmulation*
//cudagen:out mantissaControl maxMantissaBitCount mantissaBitOffset

// Calls on another stream, or in a capture, have the library go back to memory of its own.
//
//cudagen:functions cublasSetWorkspace_v2
//cudagen:len workspace=workspaceSizeInBytes
//cudagen:hold workspace
//cudagen:doc has calls on s use this memory, until one is on another stream or captured. It must stay open as long as the handle

//cudagen:functions cublasSetFixedPointEmulationMantissaBitCountPointer
//cudagen:len mantissaBitCount=1
//cudagen:hold mantissaBitCount
//cudagen:nullable mantissaBitCount
//cudagen:doc has the library write there how many bits the mantissa has. It must stay open as long as the handle

//cudagen:functions cublasLoggerConfigure
//cudagen:text logFileName
//cudagen:nullable logFileName

// Left out are 23 of 539 functions: copies between host and device, which package cuda does; the stream and the pointer mode, which the
// handle has for itself; callbacks, and the address of a device's count, which Go has no form for; what only the library itself calls.
//
//cudagen:functions cublasSetVector* cublasGetVector* cublasSetMatrix* cublasGetMatrix* cublasGetStream_v2 cublasGetPointerMode_v2
//cudagen:ignore

//cudagen:functions cublasXerbla cublas?etLoggerCallback cublasGetFixedPointEmulationMantissaBitCountPointer cublasGetStatusName
//cudagen:ignore

// Level 1.
//
//cudagen:functions cublas*nrm2_v2*
//cudagen:doc returns the Euclidean norm of x

//cudagen:functions cublas*dot_v2* cublas*dotu_v2*
//cudagen:doc returns the sum of the products of the elements of x and y

//cudagen:functions cublas*dotc_v2*
//cudagen:doc returns the sum of the products of the conjugates of the elements of x and the elements of y

//cudagen:functions cublas*scal_v2*
//cudagen:doc multiplies x by alpha

//cudagen:functions cublas*axpy_v2*
//cudagen:doc adds alpha * x to y

//cudagen:functions cublas*copy_v2*
//cudagen:doc copies x to y

//cudagen:functions cublas*swap_v2*
//cudagen:doc exchanges x and y

//cudagen:functions cublasI*amax_v2*
//cudagen:doc returns the place of the first element of x with the largest magnitude, counted from 1; 0 if there is none

//cudagen:functions cublasI*amin_v2*
//cudagen:doc returns the place of the first element of x with the smallest magnitude, counted from 1; 0 if there is none

//cudagen:functions cublas*asum_v2*
//cudagen:doc returns the sum of the magnitudes of real and imaginary parts of x

//cudagen:functions cublas*rot_v2*
//cudagen:mode c s
//cudagen:doc rotates the points whose coordinates are in x and y, by an angle with cosine c and sine s

//cudagen:functions cublas*rotg_v2*
//cudagen:update a b
//cudagen:mode c s
//cudagen:doc makes the rotation that turns (a, b) onto the first axis

//cudagen:functions cublas*rotm_v2*
//cudagen:mode param=5
//cudagen:doc applies a modified Givens transformation to x and y

//cudagen:functions cublas*rotmg_v2*
//cudagen:update d1 d2 x1
//cudagen:mode y1 param=5
//cudagen:doc makes a modified Givens transformation

// Level 1 with types as arguments: slices count bytes. So do alpha, result, c, s and others that lie where the mode says.
//
//cudagen:functions cublas*Ex cublas*Ex_64
//cudagen:doc takes the types of its elements as arguments, and slices of bytes

//cudagen:functions cublasNrm2Ex* cublasDot*Ex* cublasScalEx* cublasAxpyEx* cublasCopyEx* cublasSwapEx* cublasIam*Ex* cublasAsumEx* cublasRotEx* cublasRotmEx*
//cudagen:len x=bytes(vector(n,incx),xType) y=bytes(vector(n,incy),yType)

//cudagen:functions cublasNrm2Ex* cublasDot*Ex* cublasAsumEx*
//cudagen:mode result=bytes(1,resultType)

//cudagen:functions cublasScalEx* cublasAxpyEx*
//cudagen:mode alpha=bytes(1,alphaType)

//cudagen:functions cublasRotEx*
//cudagen:mode c=bytes(1,csType) s=bytes(1,csType)

//cudagen:functions cublasRotgEx*
//cudagen:mode a=bytes(1,abType) b=bytes(1,abType) c=bytes(1,csType) s=bytes(1,csType)

//cudagen:functions cublasRotmEx*
//cudagen:mode param=bytes(5,paramType)

//cudagen:functions cublasRotmgEx*
//cudagen:mode d1=bytes(1,d1Type) d2=bytes(1,d2Type) x1=bytes(1,x1Type) y1=bytes(1,y1Type) param=bytes(5,paramType)

// Level 2.
//
//cudagen:functions cublas*gemv*
//cudagen:require lda>=max(1,m) a matrix is stored by columns: lda is the distance between columns, at least its rows

//cudagen:functions cublas*gemv_v2* cublas*gemvStridedBatched*
//cudagen:len A=matrix(m,n,lda) x=vector(trans==CUBLAS_OP_N?n:m,incx) y=vector(trans==CUBLAS_OP_N?m:n,incy)
//cudagen:doc computes y = alpha op(A) x + beta y

//cudagen:functions cublas*gbmv_v2*
//cudagen:len A=matrix(kl+ku+1,n,lda) x=vector(trans==CUBLAS_OP_N?n:m,incx) y=vector(trans==CUBLAS_OP_N?m:n,incy)
//cudagen:require lda>kl+ku each column has the diagonals of a column of the band matrix: kl below, the main one, and ku above
//cudagen:doc computes y = alpha op(A) x + beta y, where A is a band matrix

//cudagen:functions cublas*trmv_v2* cublas*trsv_v2*
//cudagen:len A=matrix(n,n,lda)
//cudagen:require lda>=max(1,n) a matrix is stored by columns: lda is the distance between columns, at least its rows

//cudagen:functions cublas*tbmv_v2* cublas*tbsv_v2*
//cudagen:len A=matrix(k+1,n,lda)
//cudagen:require lda>k each column has the k+1 diagonals of a column of the band matrix

//cudagen:functions cublas*tpmv_v2* cublas*tpsv_v2*
//cudagen:len AP=n>0?n*(n+1)/2:0

//cudagen:functions cublas*t[rbp]mv_v2*
//cudagen:doc computes x = op(A) x, where A is triangular

//cudagen:functions cublas*t[rbp]sv_v2*
//cudagen:doc solves op(A) x = b, where A is triangular; x is b before

//cudagen:functions cublas*symv_v2* cublas*hemv_v2*
//cudagen:len A=matrix(n,n,lda)
//cudagen:require lda>=max(1,n) a matrix is stored by columns: lda is the distance between columns, at least its rows

//cudagen:functions cublas*[sh]bmv_v2*
//cudagen:len A=matrix(k+1,n,lda)
//cudagen:require lda>k each column has the k+1 diagonals of a column of the band matrix

//cudagen:functions cublas*[sh]pmv_v2*
//cudagen:len AP=n>0?n*(n+1)/2:0

//cudagen:functions cublas?symv_v2* cublas?sbmv_v2* cublas?spmv_v2*
//cudagen:doc computes y = alpha A x + beta y, where A is symmetric

//cudagen:functions cublas?hemv_v2* cublas?hbmv_v2* cublas?hpmv_v2*
//cudagen:doc computes y = alpha A x + beta y, where A is Hermitian

//cudagen:functions cublas*ger_v2* cublas*ger[uc]_v2*
//cudagen:len A=matrix(m,n,lda) x=vector(m,incx)
//cudagen:require lda>=max(1,m) a matrix is stored by columns: lda is the distance between columns, at least its rows
//cudagen:doc adds alpha times the product of x and the transpose of y to A

//cudagen:functions cublas?gerc_v2*
//cudagen:doc adds alpha times the product of x and the conjugate transpose of y to A

//cudagen:functions cublas?syr_v2* cublas?her_v2* cublas?syr2_v2* cublas?her2_v2*
//cudagen:len A=matrix(n,n,lda)
//cudagen:require lda>=max(1,n) a matrix is stored by columns: lda is the distance between columns, at least its rows

//cudagen:functions cublas?[sh]pr_v2* cublas?[sh]pr2_v2*
//cudagen:len AP=n>0?n*(n+1)/2:0

//cudagen:functions cublas?syr_v2* cublas?spr_v2*
//cudagen:doc adds alpha x xᵀ to A, which is symmetric

//cudagen:functions cublas?her_v2* cublas?hpr_v2*
//cudagen:doc adds alpha x xᴴ to A, which is Hermitian

//cudagen:functions cublas?syr2_v2* cublas?spr2_v2*
//cudagen:doc adds alpha (x yᵀ + y xᵀ) to A, which is symmetric

//cudagen:functions cublas?her2_v2* cublas?hpr2_v2*
//cudagen:doc adds alpha x yᴴ and its conjugate transpose to A, which is Hermitian

// Level 2 for many matrices.
//
//cudagen:functions cublas*gemvBatched*
//cudagen:len Aarray=batchCount xarray=batchCount yarray=batchCount
//cudagen:doc computes y = alpha op(A) x + beta y for each of many. The slices have addresses, which nothing checks

//cudagen:functions cublas*gemvStridedBatched*
//cudagen:len A=batch(batchCount,strideA,matrix(m,n,lda)) x=batch(batchCount,stridex,vector(trans==CUBLAS_OP_N?n:m,incx)) y=batch(batchCount,stridey,vector(trans==CUBLAS_OP_N?m:n,incy))
//cudagen:require strideA>=0&&stridex>=0&&stridey>=0 every matrix lies behind the first
//cudagen:doc computes y = alpha op(A) x + beta y for each of many, which lie strides apart

// Level 3. Functions with Ex take slices of bytes.
//
//cudagen:functions cublas*gemm* cublasGemm*
//cudagen:require lda>=max(1,transa==CUBLAS_OP_N?m:k) a matrix is stored by columns: lda is the distance between columns, at least its rows
//cudagen:require ldb>=max(1,transb==CUBLAS_OP_N?k:n) a matrix is stored by columns: ldb is the distance between columns, at least its rows

//cudagen:functions cublas?gemm_v2* cublas?gemm3m cublas?gemm3m_64 cublasHgemm cublasHgemm_64
//cudagen:len A=transa==CUBLAS_OP_N?matrix(m,k,lda):matrix(k,m,lda) B=transb==CUBLAS_OP_N?matrix(k,n,ldb):matrix(n,k,ldb) C=matrix(m,n,ldc)
//cudagen:doc computes C = alpha op(A) op(B) + beta C

//cudagen:functions cublas?gemm_v2* cublas?gemm3m* cublasHgemm* cublas?gemmEx* cublasGemm*Ex* cublas?gemm*Batched* cublas?geam* cublas?dgmm*
//cudagen:require ldc>=max(1,m) a matrix is stored by columns: ldc is the distance between columns, at least its rows

//cudagen:functions cublas?gemmEx* cublasCgemm3mEx* cublasGemmEx*
//cudagen:len A=bytes(transa==CUBLAS_OP_N?matrix(m,k,lda):matrix(k,m,lda),Atype) B=bytes(transb==CUBLAS_OP_N?matrix(k,n,ldb):matrix(n,k,ldb),Btype) C=bytes(matrix(m,n,ldc),Ctype)
//cudagen:doc computes C = alpha op(A) op(B) + beta C. Slices count bytes

// The scalars have the type that computeType and the type of C ask for.
//
//cudagen:functions cublasGemmEx* cublasGemmBatchedEx* cublasGemmStridedBatchedEx*
//cudagen:mode alpha=(computeType==CUBLAS_COMPUTE_16F||computeType==CUBLAS_COMPUTE_16F_PEDANTIC?2:computeType==CUBLAS_COMPUTE_64F||computeType==CUBLAS_COMPUTE_64F_PEDANTIC||computeType==CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT?8:4)*(Ctype==CUDA_C_32F||Ctype==CUDA_C_64F?2:1) beta=(computeType==CUBLAS_COMPUTE_16F||computeType==CUBLAS_COMPUTE_16F_PEDANTIC?2:computeType==CUBLAS_COMPUTE_64F||computeType==CUBLAS_COMPUTE_64F_PEDANTIC||computeType==CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT?8:4)*(Ctype==CUDA_C_32F||Ctype==CUDA_C_64F?2:1)

//cudagen:functions cublasUint8gemmBias
//cudagen:len A=transa==CUBLAS_OP_N?matrix(m,k,lda):matrix(k,m,lda) B=transb==CUBLAS_OP_N?matrix(k,n,ldb):matrix(n,k,ldb) C=transc==CUBLAS_OP_N?matrix(m,n,ldc):matrix(n,m,ldc)
//cudagen:require ldc>=max(1,transc==CUBLAS_OP_N?m:n) a matrix is stored by columns: ldc is the distance between columns, at least its rows

//cudagen:functions cublas?gemmBatched* cublasCgemm3mBatched* cublasGemmBatchedEx*
//cudagen:len Aarray=batchCount Barray=batchCount Carray=batchCount
//cudagen:doc computes C = alpha op(A) op(B) + beta C for each of many. The slices have addresses, which nothing checks

//cudagen:functions cublas?gemmStridedBatched* cublasCgemm3mStridedBatched* cublasGemmStridedBatchedEx*
//cudagen:require strideA>=0&&strideB>=0&&strideC>=0 every matrix lies behind the first
//cudagen:require batchCount<2||m<1||n<1||strideC>0 several results cannot lie at one place
//cudagen:doc computes C = alpha op(A) op(B) + beta C for each of many, which lie strides apart

//cudagen:functions cublas?gemmStridedBatched* cublasCgemm3mStridedBatched*
//cudagen:len A=batch(batchCount,strideA,transa==CUBLAS_OP_N?matrix(m,k,lda):matrix(k,m,lda)) B=batch(batchCount,strideB,transb==CUBLAS_OP_N?matrix(k,n,ldb):matrix(n,k,ldb)) C=batch(batchCount,strideC,matrix(m,n,ldc))

//cudagen:functions cublasGemmStridedBatchedEx*
//cudagen:len A=bytes(batch(batchCount,strideA,transa==CUBLAS_OP_N?matrix(m,k,lda):matrix(k,m,lda)),Atype) B=bytes(batch(batchCount,strideB,transb==CUBLAS_OP_N?matrix(k,n,ldb):matrix(n,k,ldb)),Btype) C=bytes(batch(batchCount,strideC,matrix(m,n,ldc)),Ctype)

// The arrays are in the memory of the host, but for those of addresses.
//
//cudagen:functions cublas*emmGroupedBatched*
//cudagen:host transa_array=group_count transb_array=group_count m_array=group_count n_array=group_count k_array=group_count lda_array=group_count ldb_array=group_count ldc_array=group_count alpha_array=group_count beta_array=group_count group_size=group_count
//cudagen:len Aarray=sum(group_size) Barray=sum(group_size) Carray=sum(group_size)
//cudagen:doc computes C = alpha op(A) op(B) + beta C for each of many in groups. The slices have addresses, which nothing checks

//cudagen:functions cublasGemmGroupedBatchedEx*
//cudagen:host alpha_array=group_count*(computeType==CUBLAS_COMPUTE_16F||computeType==CUBLAS_COMPUTE_16F_PEDANTIC?2:computeType==CUBLAS_COMPUTE_64F||computeType==CUBLAS_COMPUTE_64F_PEDANTIC||computeType==CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT?8:4)*(Ctype==CUDA_C_32F||Ctype==CUDA_C_64F?2:1) beta_array=group_count*(computeType==CUBLAS_COMPUTE_16F||computeType==CUBLAS_COMPUTE_16F_PEDANTIC?2:computeType==CUBLAS_COMPUTE_64F||computeType==CUBLAS_COMPUTE_64F_PEDANTIC||computeType==CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT?8:4)*(Ctype==CUDA_C_32F||Ctype==CUDA_C_64F?2:1)

//cudagen:functions cublas?syrk_v2* cublas?herk_v2* cublas?syr2k_v2* cublas?her2k_v2* cublas?syrkx* cublas?herkx* cublasC???k*Ex*
//cudagen:require lda>=max(1,trans==CUBLAS_OP_N?n:k) a matrix is stored by columns: lda is the distance between columns, at least its rows
//cudagen:require ldb>=max(1,trans==CUBLAS_OP_N?n:k) a matrix is stored by columns: ldb is the distance between columns, at least its rows
//cudagen:require ldc>=max(1,n) a matrix is stored by columns: ldc is the distance between columns, at least its rows
//cudagen:len A=trans==CUBLAS_OP_N?matrix(n,k,lda):matrix(k,n,lda) B=trans==CUBLAS_OP_N?matrix(n,k,ldb):matrix(k,n,ldb) C=matrix(n,n,ldc)

//cudagen:functions cublasC???k*Ex*
//cudagen:len A=bytes(trans==CUBLAS_OP_N?matrix(n,k,lda):matrix(k,n,lda),Atype) C=bytes(matrix(n,n,ldc),Ctype)

//cudagen:functions cublas?syrk_v2* cublasCsyrk*Ex*
//cudagen:doc computes C = alpha op(A) op(A)ᵀ + beta C, which is symmetric

//cudagen:functions cublas?herk_v2* cublasCherk*Ex*
//cudagen:doc computes C = alpha op(A) op(A)ᴴ + beta C, which is Hermitian

//cudagen:functions cublas?syr2k_v2*
//cudagen:doc computes C = alpha (op(A) op(B)ᵀ + op(B) op(A)ᵀ) + beta C, which is symmetric

//cudagen:functions cublas?her2k_v2*
//cudagen:doc computes C = alpha op(A) op(B)ᴴ and its conjugate transpose + beta C, which is Hermitian

//cudagen:functions cublas?syrkx*
//cudagen:doc computes C = alpha op(A) op(B)ᵀ + beta C, which is symmetric

//cudagen:functions cublas?herkx*
//cudagen:doc computes C = alpha op(A) op(B)ᴴ + beta C, which is Hermitian

//cudagen:functions cublas?symm_v2* cublas?hemm_v2* cublas?trsm* cublas?trmm_v2*
//cudagen:require lda>=max(1,side==CUBLAS_SIDE_LEFT?m:n) a matrix is stored by columns: lda is the distance between columns, at least its rows
//cudagen:require ldb>=max(1,m) a matrix is stored by columns: ldb is the distance between columns, at least its rows
//cudagen:require ldc>=max(1,m) a matrix is stored by columns: ldc is the distance between columns, at least its rows

//cudagen:functions cublas?symm_v2* cublas?hemm_v2* cublas?trsm_v2* cublas?trmm_v2*
//cudagen:len A=side==CUBLAS_SIDE_LEFT?matrix(m,m,lda):matrix(n,n,lda) B=matrix(m,n,ldb) C=matrix(m,n,ldc)

//cudagen:functions cublas?symm_v2*
//cudagen:doc computes C = alpha A B + beta C, or B A on the right, where A is symmetric

//cudagen:functions cublas?hemm_v2*
//cudagen:doc computes C = alpha A B + beta C, or B A on the right, where A is Hermitian

//cudagen:functions cublas?trmm_v2*
//cudagen:doc computes C = alpha op(A) B, or B op(A) on the right, where A is triangular. C may be B

//cudagen:functions cublas?trsm*
//cudagen:doc solves op(A) X = alpha B, or X op(A) on the right, where A is triangular. X replaces B

//cudagen:functions cublas?trsmBatched*
//cudagen:len A=batchCount B=batchCount

// Beyond BLAS.
//
//cudagen:functions cublas?geam*
//cudagen:require lda>=max(1,transa==CUBLAS_OP_N?m:n) a matrix is stored by columns: lda is the distance between columns, at least its rows
//cudagen:require ldb>=max(1,transb==CUBLAS_OP_N?m:n) a matrix is stored by columns: ldb is the distance between columns, at least its rows
//cudagen:len A=transa==CUBLAS_OP_N?matrix(m,n,lda):matrix(n,m,lda) B=transb==CUBLAS_OP_N?matrix(m,n,ldb):matrix(n,m,ldb) C=matrix(m,n,ldc)
//cudagen:doc computes C = alpha op(A) + beta op(B)

//cudagen:functions cublas?dgmm*
//cudagen:require lda>=max(1,m) a matrix is stored by columns: lda is the distance between columns, at least its rows
//cudagen:len A=matrix(m,n,lda) x=vector(mode==CUBLAS_SIDE_LEFT?m:n,incx) C=matrix(m,n,ldc)
//cudagen:doc computes C = diag(x) A, or A diag(x) on the right

//cudagen:functions cublas?tpttr cublas?trttp
//cudagen:require lda>=max(1,n) a matrix is stored by columns: lda is the distance between columns, at least its rows
//cudagen:len AP=n>0?n*(n+1)/2:0 A=matrix(n,n,lda)

//cudagen:functions cublas?tpttr
//cudagen:doc copies a triangle from packed storage AP to the matrix A

//cudagen:functions cublas?trttp
//cudagen:doc copies a triangle of the matrix A to packed storage AP

//cudagen:functions cublas?getrfBatched cublas?getriBatched cublas?matinvBatched
//cudagen:len A=batchSize Ainv=batchSize C=batchSize P=n>0?n*batchSize:0 info=batchSize
//cudagen:nullable P
//cudagen:require lda>=max(1,n) a matrix is stored by columns: lda is the distance between columns, at least its rows
//cudagen:require ldc>=max(1,n) a matrix is stored by columns: ldc is the distance between columns, at least its rows
//cudagen:require lda_inv>=max(1,n) a matrix is stored by columns: lda_inv is the distance between columns, at least its rows

//cudagen:functions cublas?getrfBatched
//cudagen:doc replaces each of many matrices by its factors L and U. Without P there is no pivoting. A has addresses, which nothing checks

//cudagen:functions cublas?getriBatched
//cudagen:doc computes the inverse of each of many matrices that GetrfBatched has factored. A and C have addresses, which nothing checks

//cudagen:functions cublas?matinvBatched
//cudagen:doc computes the inverse of each of many small matrices. A and Ainv have addresses, which nothing checks

//cudagen:functions cublas?getrsBatched
//cudagen:len Aarray=batchSize Barray=batchSize devIpiv=n>0?n*batchSize:0
//cudagen:nullable devIpiv
//cudagen:out info
//cudagen:require lda>=max(1,n)&&ldb>=max(1,n) a matrix is stored by columns: lda and ldb are distances between columns, at least their rows
//cudagen:doc solves op(A) X = B for each of many matrices that GetrfBatched has factored. X replaces B. The slices have addresses, which nothing checks

//cudagen:functions cublas?geqrfBatched
//cudagen:len Aarray=batchSize TauArray=batchSize
//cudagen:out info
//cudagen:require lda>=max(1,m) a matrix is stored by columns: lda is the distance between columns, at least its rows
//cudagen:doc replaces each of many matrices by its factors Q and R. The slices have addresses, which nothing checks

//cudagen:functions cublas?gelsBatched
//cudagen:len Aarray=batchSize Carray=batchSize devInfoArray=batchSize
//cudagen:nullable devInfoArray
//cudagen:out info
//cudagen:require lda>=max(1,m)&&ldc>=max(1,trans==CUBLAS_OP_N?m:n) a matrix is stored by columns: lda and ldc are distances between columns, at least their rows
//cudagen:doc solves least squares problems for each of many matrices. The slices have addresses, which nothing checks
