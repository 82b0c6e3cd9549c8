// What the header of cuSOLVER's dense part does not say: which pointers are memory of the device, and how many elements they need. Blocks
// for many functions come first, exceptions behind them. LAPACK's documentation has the lengths of what LAPACK has.
#include <cusolverDn.h>

//cudagen:library cusolver linux=libcusolver.so.12,libcusolver.so.11 windows=cusolver64_12.dll,cusolver64_11.dll
//cudagen:version CUSOLVER_VER_MAJOR CUSOLVER_VER_MINOR CUSOLVER_VER_PATCH property=cusolverGetProperty
//cudagen:trim cusolverDn cusolver CUSOLVER_ cublas CUBLAS_ cuda CUDA_ _t
//cudagen:rename libraryPropertyType_t=VersionPart CUSOLVER_EIG_MODE_NOVECTOR=EigModeNoVector
//cudagen:rename CUSOLVERDN_GETRF=FunctionGetrf CUSOLVERDN_POTRF=FunctionPotrf CUSOLVERDN_SYEVBATCHED=FunctionSyevBatched
//cudagen:rename CUSOLVER_R_8I=PrecR8I CUSOLVER_R_8U=PrecR8U CUSOLVER_R_64F=PrecR64F CUSOLVER_R_32F=PrecR32F CUSOLVER_R_16F=PrecR16F CUSOLVER_R_16BF=PrecR16BF CUSOLVER_R_TF32=PrecRTF32 CUSOLVER_R_AP=PrecRAP
//cudagen:rename CUSOLVER_C_8I=PrecC8I CUSOLVER_C_8U=PrecC8U CUSOLVER_C_64F=PrecC64F CUSOLVER_C_32F=PrecC32F CUSOLVER_C_16F=PrecC16F CUSOLVER_C_16BF=PrecC16BF CUSOLVER_C_TF32=PrecCTF32 CUSOLVER_C_AP=PrecCAP
//cudagen:status cusolverStatus_t
//cudagen:handle cusolverDnHandle_t destroy=cusolverDnDestroy stream=cusolverDnSetStream
//cudagen:handle cusolverDnParams_t destroy=cusolverDnDestroyParams
//cudagen:handle syevjInfo_t destroy=cusolverDnDestroySyevjInfo
//cudagen:handle gesvdjInfo_t destroy=cusolverDnDestroyGesvdjInfo
//cudagen:handle cusolverDnIRSParams_t destroy=cusolverDnIRSParamsDestroy
//cudagen:handle cusolverDnIRSInfos_t destroy=cusolverDnIRSInfosDestroy
//cudagen:makes cusolverDnCreate* cusolverDnIRSInfosCreate cusolverDnIRSParamsCreate

// Left out are 6 of 379 functions: the stream, which the handle has for itself; callbacks and files of C; residuals in memory of the library;
// and the randomized SVD, of which it is not known how much it writes.
//
//cudagen:functions cusolverDnGetStream cusolverDnLoggerSetCallback cusolverDnLoggerSetFile cusolverDnIRSInfosGetResidualHistory cusolverDnXgesvdr*
//cudagen:ignore

// All functions. A factor's info is 0, or says what LAPACK's says.
//
//cudagen:functions cusolverDn*
//cudagen:len devInfo=1 d_info=1
//cudagen:require m>=0 sizes are not negative
//cudagen:require n>=0 sizes are not negative
//cudagen:require k>=0 sizes are not negative
//cudagen:require nrhs>=0 sizes are not negative
//cudagen:require batchSize>=0 sizes are not negative

// cuSOLVER does not look at all of these, and reads and writes beyond matrices.
//
//cudagen:functions cusolverDn[SDCZX]potr* cusolverDn[SDCZ]lauum* cusolverDn[SDCZX]getrs cusolverDn[SDCZX]sy* cusolverDn[SDCZ]he* cusolverDn[SDCZ]orgtr* cusolverDn[SDCZ]ungtr* cusolverDnXtrtri* cusolverDnXgeev*
//cudagen:require lda>=max(1,n) a matrix is stored by columns: lda is the distance between columns, at least its rows
//cudagen:require ldb>=max(1,n) a matrix is stored by columns: ldb is the distance between columns, at least its rows
//cudagen:functions cusolverDn[SDCZX]getrf* cusolverDn[SDCZX]geqrf* cusolverDn[SDCZ]orgqr* cusolverDn[SDCZ]ungqr* cusolverDn[SDCZ]gebrd cusolverDn[SDCZ]orgbr* cusolverDn[SDCZ]ungbr* cusolverDn[SDCZX]gesvd*
//cudagen:require lda>=max(1,m) a matrix is stored by columns: lda is the distance between columns, at least its rows
//cudagen:functions cusolverDn[SDCZ]ormqr* cusolverDn[SDCZ]unmqr* cusolverDn[SDCZ]ormtr* cusolverDn[SDCZ]unmtr*
//cudagen:require lda>=max(1,side==CUBLAS_SIDE_LEFT?m:n) a matrix is stored by columns: lda is the distance between columns, at least its rows
//cudagen:require ldc>=max(1,m) a matrix is stored by columns: ldc is the distance between columns, at least its rows
//cudagen:functions cusolverDn[SDCZ]orgqr* cusolverDn[SDCZ]ungqr*
//cudagen:require m>=n&&n>=k Q has no more columns than rows, and no fewer than reflectors
//cudagen:functions cusolverDn[SDCZ]ormqr* cusolverDn[SDCZ]unmqr*
//cudagen:require k<=(side==CUBLAS_SIDE_LEFT?m:n) Q has no more reflectors than rows
//cudagen:functions cusolverDn[SDCZ]gesvdj* cusolverDnXgesvdp*
//cudagen:require ldu>=max(1,m) a matrix is stored by columns: ldu is the distance between columns, at least its rows
//cudagen:require ldv>=max(1,n) a matrix is stored by columns: ldv is the distance between columns, at least its rows
//cudagen:functions cusolverDn[SDCZ]gesvd cusolverDnXgesvd cusolverDnXgesvd_bufferSize
//cudagen:require jobu=='N'||jobu=='O'||ldu>=max(1,m) a matrix is stored by columns: ldu is the distance between columns, at least its rows
//cudagen:require jobvt=='N'||jobvt=='O'||ldvt>=max(1,jobvt=='S'?min(m,n):n) a matrix is stored by columns: ldvt is the distance between columns, at least its rows
//cudagen:functions cusolverDn[SDCZ]gesvdaStridedBatched*
//cudagen:require ldu>=max(1,m) a matrix is stored by columns: ldu is the distance between columns, at least its rows
//cudagen:require ldv>=max(1,n) a matrix is stored by columns: ldv is the distance between columns, at least its rows
//cudagen:require rank>=0&&rank<=min(m,n) there are no more singular values than rows and columns
//cudagen:functions cusolverDn[SDCZ][SDCZKEYHBX]gesv* cusolverDnIRSXgesv
//cudagen:require ldda>=max(1,n) a matrix is stored by columns: ldda is the distance between columns, at least its rows
//cudagen:require lddb>=max(1,n) a matrix is stored by columns: lddb is the distance between columns, at least its rows
//cudagen:require lddx>=max(1,n) a matrix is stored by columns: lddx is the distance between columns, at least its rows
//cudagen:functions cusolverDn[SDCZ][SDCZKEYHBX]gels* cusolverDnIRSXgels
//cudagen:require ldda>=max(1,m) a matrix is stored by columns: ldda is the distance between columns, at least its rows
//cudagen:require lddb>=max(1,m) a matrix is stored by columns: lddb is the distance between columns, at least its rows
//cudagen:require lddx>=max(1,n) a matrix is stored by columns: lddx is the distance between columns, at least its rows
//cudagen:functions cusolverDnXgeev*
//cudagen:require jobvl!=CUSOLVER_EIG_MODE_VECTOR||ldvl>=max(1,n) a matrix is stored by columns: ldvl is the distance between columns, at least its rows
//cudagen:require jobvr!=CUSOLVER_EIG_MODE_VECTOR||ldvr>=max(1,n) a matrix is stored by columns: ldvr is the distance between columns, at least its rows
//cudagen:functions cusolverDnXlarft*
//cudagen:require ldv>=max(1,storev==CUBLAS_STOREV_COLUMNWISE?n:k)&&ldt>=max(1,k) matrices are stored by columns

//cudagen:functions cusolverDn[SDCZ]or[gm]* cusolverDn[SDCZ]un[gm]* cusolverDn[SDCZ]sy[tge]* cusolverDn[SDCZ]he[tge]* cusolverDn[SDCZ]gesvd*
//cudagen:len info=1

//cudagen:functions cusolverDnXpotr[fs] cusolverDnXge[qte]* cusolverDnXgesvd cusolverDnXsyt* cusolverDnXsyev[dB]* cusolverDnXtrtri
//cudagen:len info=1

// What functions say of the memory that others need. They read none of it, so that it need not be there yet.
//
//cudagen:functions cusolverDn*_bufferSize
//cudagen:nullable A B C W S U V VT d e tau T dA dB dX dipiv dWorkspace d_A d_S d_U d_V ipiv VL VR
//cudagen:out lwork Lwork lwork_bytes workspaceInBytesOnDevice workspaceInBytesOnHost meig h_meig

//cudagen:functions cusolverGetProperty
//cudagen:out value

//cudagen:functions cusolverGetVersion
//cudagen:out version

// Handles and settings.
//
//cudagen:functions cusolverDnCreate
//cudagen:name NewHandle
//cudagen:doc makes a handle
//cudagen:functions cusolverDnCreateParams
//cudagen:name NewParams
//cudagen:doc makes settings for the functions that begin with X
//cudagen:functions cusolverDnCreateSyevjInfo
//cudagen:name NewSyevjInfo
//cudagen:doc makes settings for the eigenvalues by Jacobi's method
//cudagen:functions cusolverDnCreateGesvdjInfo
//cudagen:name NewGesvdjInfo
//cudagen:doc makes settings for the singular values by Jacobi's method
//cudagen:functions cusolverDnIRSParamsCreate
//cudagen:name NewIRSParams
//cudagen:keep main=0
//cudagen:doc makes settings for solvers that refine
//cudagen:functions cusolverDnIRSInfosCreate
//cudagen:name NewIRSInfos
//cudagen:doc makes what solvers that refine tell about themselves

//cudagen:functions cusolverDnGetDeterministicMode cusolverDnGetMathMode
//cudagen:out mode
//cudagen:functions cusolverDnGetEmulationStrategy
//cudagen:out strategy
//cudagen:functions cusolverDnX*GetResidual
//cudagen:stream
//cudagen:out residual
//cudagen:functions cusolverDnX*GetSweeps
//cudagen:stream
//cudagen:out executed_sweeps
//cudagen:functions cusolverDnIRSParamsGetMaxIters cusolverDnIRSInfosGetMaxIters
//cudagen:out maxiters
//cudagen:functions cusolverDnIRSInfosGetNiters
//cudagen:out niters
//cudagen:functions cusolverDnIRSInfosGetOuterNiters
//cudagen:out outer_niters
//cudagen:functions cusolverDnIRSParamsSetSolverMainPrecision cusolverDnIRSParamsSetSolverPrecisions
//cudagen:keep main=solver_main_precision
//cudagen:functions cusolverDnLoggerOpenFile
//cudagen:text logFile

// Cholesky.
//
//cudagen:functions cusolverDn[SDCZ]potr[fi]* cusolverDn[SDCZ]lauum*
//cudagen:len A=matrix(n,n,lda) Workspace=Lwork work=lwork
//cudagen:functions cusolverDn[SDCZ]potrf
//cudagen:doc makes L or U of A = L L* or A = U* U: info is k if the first k columns have no such factor
//cudagen:functions cusolverDn[SDCZ]potri
//cudagen:doc makes the inverse of a factor that potrf has made
//cudagen:functions cusolverDn[SDCZ]potrs
//cudagen:len A=matrix(n,n,lda) B=matrix(n,nrhs,ldb)
//cudagen:doc solves A X = B by a factor that potrf has made. X replaces B
//cudagen:functions cusolverDn[SDCZ]potrfBatched
//cudagen:len Aarray=batchSize infoArray=batchSize
//cudagen:functions cusolverDn[SDCZ]potrsBatched
//cudagen:len A=batchSize B=batchSize

// LU. Without pivots there is no pivoting. The workspace has no length of its own.
//
//cudagen:functions cusolverDn[SDCZ]getrf*
//cudagen:len A=matrix(m,n,lda) Workspace=asked(_bufferSize) devIpiv=min(m,n)
//cudagen:nullable devIpiv
//cudagen:functions cusolverDn[SDCZ]getrf
//cudagen:doc makes L and U of P A = L U, whose pivots count from 1. Without devIpiv nothing is exchanged
//cudagen:functions cusolverDn[SDCZ]getrs
//cudagen:len A=matrix(n,n,lda) devIpiv=n B=matrix(n,nrhs,ldb)
//cudagen:nullable devIpiv
//cudagen:doc solves op(A) X = B by factors that getrf has made. X replaces B
//cudagen:functions cusolverDn[SDCZ]laswp
//cudagen:require k1>=1&&k2<=lda rows count from 1, and lie in a column
//cudagen:len A=batch(n,lda,lda) devIpiv=k2<k1?0:k1+(k2-k1)*abs(incx)
//cudagen:doc exchanges rows k1 to k2 of A, counted from 1, with those that devIpiv names

// QR.
//
//cudagen:functions cusolverDn[SDCZ]geqrf*
//cudagen:len A=matrix(m,n,lda) TAU=min(m,n) Workspace=Lwork
//cudagen:functions cusolverDn[SDCZ]geqrf
//cudagen:doc makes R of A = Q R, and reflectors that make Q
//cudagen:functions cusolverDn[SDCZ]orgqr* cusolverDn[SDCZ]ungqr*
//cudagen:len A=matrix(m,n,lda) tau=k work=lwork
//cudagen:functions cusolverDn[SDCZ]orgqr cusolverDn[SDCZ]ungqr
//cudagen:doc makes the first n columns of Q of k reflectors
//cudagen:functions cusolverDn[SDCZ]ormqr* cusolverDn[SDCZ]unmqr*
//cudagen:len A=side==CUBLAS_SIDE_LEFT?matrix(m,k,lda):matrix(n,k,lda) tau=k C=matrix(m,n,ldc) work=lwork
//cudagen:functions cusolverDn[SDCZ]ormqr cusolverDn[SDCZ]unmqr
//cudagen:doc multiplies C by Q of k reflectors

// Symmetric matrices that are not definite.
//
//cudagen:functions cusolverDn[SDCZ]sytr[fi]*
//cudagen:len A=matrix(n,n,lda) ipiv=n work=lwork
//cudagen:functions cusolverDn[SDCZ]sytrf
//cudagen:nullable ipiv

// Two diagonals.
//
//cudagen:functions cusolverDn[SDCZ]gebrd
//cudagen:len A=matrix(m,n,lda) D=min(m,n) E=min(m,n) TAUQ=min(m,n) TAUP=min(m,n) Work=Lwork
//cudagen:functions cusolverDn[SDCZ]orgbr* cusolverDn[SDCZ]ungbr*
//cudagen:len A=matrix(m,n,lda) tau=side==CUBLAS_SIDE_LEFT?min(m,k):min(n,k) work=lwork
//cudagen:functions cusolverDn[SDCZ]sytrd* cusolverDn[SDCZ]hetrd*
//cudagen:len A=matrix(n,n,lda) d=n e=max(n-1,0) tau=max(n-1,0) work=lwork
//cudagen:functions cusolverDn[SDCZ]orgtr* cusolverDn[SDCZ]ungtr*
//cudagen:len A=matrix(n,n,lda) tau=max(n-1,0) work=lwork
//cudagen:functions cusolverDn[SDCZ]ormtr* cusolverDn[SDCZ]unmtr*
//cudagen:len A=side==CUBLAS_SIDE_LEFT?matrix(m,m,lda):matrix(n,n,lda) tau=max((side==CUBLAS_SIDE_LEFT?m:n)-1,0) C=matrix(m,n,ldc) work=lwork

// Eigenvalues.
//
//cudagen:functions cusolverDn[SDCZ]syev* cusolverDn[SDCZ]heev* cusolverDn[SDCZ]sygv* cusolverDn[SDCZ]hegv*
//cudagen:len A=matrix(n,n,lda) B=matrix(n,n,ldb) W=n work=lwork
//cudagen:out meig
//cudagen:functions cusolverDn[SDCZ]syevd cusolverDn[SDCZ]heevd
//cudagen:doc makes the eigenvalues of A, in ascending order, and with EigModeVector its eigenvectors, which replace A
//cudagen:functions cusolverDn[SDCZ]syevjBatched* cusolverDn[SDCZ]heevjBatched*
//cudagen:len A=batch(batchSize,lda*n,matrix(n,n,lda)) W=batch(batchSize,n,n) info=batchSize

// Singular values. What a job does not ask for is not there, and a letter that cuSOLVER does not know counts as the one that needs most.
//
//cudagen:functions cusolverDn[SDCZ]gesvd
//cudagen:len A=matrix(m,n,lda) S=min(m,n) work=lwork rwork=max(min(m,n)-1,0)
//cudagen:len U=jobu=='N'||jobu=='O'?0:matrix(m,jobu=='S'?min(m,n):m,ldu) VT=jobvt=='N'||jobvt=='O'?0:matrix(jobvt=='S'?min(m,n):n,n,ldvt)
//cudagen:nullable rwork
//cudagen:optional U VT
//cudagen:doc makes the singular values of A, in descending order, and singular vectors as the jobs say: 'A' for all, 'S' for min(m, n), 'O' for those in A, 'N' for none. m is at least n
//cudagen:functions cusolverDn[SDCZ]gesvdj cusolverDn[SDCZ]gesvdj_bufferSize
//cudagen:len A=matrix(m,n,lda) S=min(m,n) U=matrix(m,econ!=0?min(m,n):m,ldu) V=matrix(n,econ!=0?min(m,n):n,ldv) work=lwork
//cudagen:functions cusolverDn[SDCZ]gesvdjBatched*
//cudagen:len A=batch(batchSize,lda*n,matrix(m,n,lda)) S=batch(batchSize,min(m,n),min(m,n)) U=batch(batchSize,ldu*m,matrix(m,m,ldu)) V=batch(batchSize,ldv*n,matrix(n,n,ldv)) work=lwork info=batchSize
//cudagen:functions cusolverDn[SDCZ]gesvdaStridedBatched*
//cudagen:require strideA>=0&&strideS>=0&&strideU>=0&&strideV>=0 every matrix lies behind the first
//cudagen:len d_A=batch(batchSize,strideA,matrix(m,n,lda)) d_S=batch(batchSize,strideS,rank) d_U=batch(batchSize,strideU,matrix(m,rank,ldu)) d_V=batch(batchSize,strideV,matrix(n,rank,ldv))
//cudagen:len d_work=lwork d_info=batchSize
//cudagen:host h_R_nrmF=batchSize
//cudagen:nullable h_R_nrmF

// Solvers that refine results of lower precision. C waits for them.
//
//cudagen:functions cusolverDn[SDCZ][SDCZKEYHBX]ge?? cusolverDnIRSXge??
//cudagen:len dWorkspace=lwork_bytes
//cudagen:out iter niters
//cudagen:functions cusolverDn[SDCZ][SDCZKEYHBX]gesv*
//cudagen:len dA=matrix(n,n,ldda) dipiv=n dB=matrix(n,nrhs,lddb) dX=matrix(n,nrhs,lddx)
//cudagen:functions cusolverDn[SDCZ][SDCZKEYHBX]gels*
//cudagen:len dA=matrix(m,n,ldda) dB=matrix(m,nrhs,lddb) dX=matrix(n,nrhs,lddx)
//cudagen:functions cusolverDn[SDCZ][SDCZKEYHBX]ge*_bufferSize
//cudagen:len dWorkspace=0

// The sizes of their elements are those of the main precision.
//
//cudagen:functions cusolverDnIRSXgesv
//cudagen:len dA=matrix(n,n,ldda)*(gesv_irs_params.main==CUSOLVER_C_64F?16:gesv_irs_params.main==CUSOLVER_R_64F||gesv_irs_params.main==CUSOLVER_C_32F?8:gesv_irs_params.main==CUSOLVER_R_32F?4:1/0)
//cudagen:len dB=matrix(n,nrhs,lddb)*(gesv_irs_params.main==CUSOLVER_C_64F?16:gesv_irs_params.main==CUSOLVER_R_64F||gesv_irs_params.main==CUSOLVER_C_32F?8:gesv_irs_params.main==CUSOLVER_R_32F?4:1/0)
//cudagen:len dX=matrix(n,nrhs,lddx)*(gesv_irs_params.main==CUSOLVER_C_64F?16:gesv_irs_params.main==CUSOLVER_R_64F||gesv_irs_params.main==CUSOLVER_C_32F?8:gesv_irs_params.main==CUSOLVER_R_32F?4:1/0)
//cudagen:functions cusolverDnIRSXgels
//cudagen:len dA=matrix(m,n,ldda)*(gels_irs_params.main==CUSOLVER_C_64F?16:gels_irs_params.main==CUSOLVER_R_64F||gels_irs_params.main==CUSOLVER_C_32F?8:gels_irs_params.main==CUSOLVER_R_32F?4:1/0)
//cudagen:len dB=matrix(m,nrhs,lddb)*(gels_irs_params.main==CUSOLVER_C_64F?16:gels_irs_params.main==CUSOLVER_R_64F||gels_irs_params.main==CUSOLVER_C_32F?8:gels_irs_params.main==CUSOLVER_R_32F?4:1/0)
//cudagen:len dX=matrix(n,nrhs,lddx)*(gels_irs_params.main==CUSOLVER_C_64F?16:gels_irs_params.main==CUSOLVER_R_64F||gels_irs_params.main==CUSOLVER_C_32F?8:gels_irs_params.main==CUSOLVER_R_32F?4:1/0)

// With types as arguments: slices count bytes.
//
//cudagen:functions cusolverDnX*
//cudagen:len bufferOnDevice=workspaceInBytesOnDevice
//cudagen:host bufferOnHost=workspaceInBytesOnHost
//cudagen:optional bufferOnDevice

//cudagen:functions cusolverDnX*_bufferSize
//cudagen:out workspaceInBytesOnDevice workspaceInBytesOnHost

//cudagen:functions cusolverDnXpotrf* cusolverDnXpotrs cusolverDnXsyev* cusolverDnXtrtri* cusolverDnXgetrs cusolverDnXsytrs* cusolverDnXgeev*
//cudagen:len A=bytes(matrix(n,n,lda),dataTypeA)
//cudagen:functions cusolverDnXpotrs cusolverDnXgetrs cusolverDnXsytrs*
//cudagen:len B=bytes(matrix(n,nrhs,ldb),dataTypeB)
//cudagen:functions cusolverDnXgeqrf* cusolverDnXgetrf* cusolverDnXgesvd*
//cudagen:len A=bytes(matrix(m,n,lda),dataTypeA)
//cudagen:functions cusolverDnXgeqrf*
//cudagen:len tau=bytes(min(m,n),dataTypeTau)
//cudagen:functions cusolverDnXgetrf
//cudagen:len ipiv=min(m,n)
//cudagen:nullable ipiv
//cudagen:functions cusolverDnXgetrs cusolverDnXsytrs*
//cudagen:len ipiv=n
//cudagen:nullable ipiv
//cudagen:functions cusolverDnXsyevd*
//cudagen:len W=bytes(n,dataTypeW)
//cudagen:functions cusolverDnXsyevBatched*
//cudagen:len A=bytes(batch(batchSize,lda*n,matrix(n,n,lda)),dataTypeA) W=bytes(batch(batchSize,n,n),dataTypeW) info=batchSize
//cudagen:functions cusolverDnXsyevdx*
//cudagen:host vl=range==CUSOLVER_EIG_RANGE_V?bytes(1,dataTypeW):0 vu=range==CUSOLVER_EIG_RANGE_V?bytes(1,dataTypeW):0
//cudagen:out h_meig meig64
//cudagen:functions cusolverDnXgeev*
//cudagen:len W=bytes(dataTypeW==CUDA_R_32F||dataTypeW==CUDA_R_64F?2*n:n,dataTypeW)
//cudagen:len VL=jobvl==CUSOLVER_EIG_MODE_VECTOR?bytes(matrix(n,n,ldvl),dataTypeVL):0 VR=jobvr==CUSOLVER_EIG_MODE_VECTOR?bytes(matrix(n,n,ldvr),dataTypeVR):0
//cudagen:optional VL VR
//cudagen:functions cusolverDnXgesvd cusolverDnXgesvd_bufferSize
//cudagen:len S=bytes(min(m,n),dataTypeS) U=bytes(jobu=='N'||jobu=='O'?0:matrix(m,jobu=='S'?min(m,n):m,ldu),dataTypeU)
//cudagen:len VT=bytes(jobvt=='N'||jobvt=='O'?0:matrix(jobvt=='S'?min(m,n):n,n,ldvt),dataTypeVT)
//cudagen:optional U VT
//cudagen:functions cusolverDnXgesvdp*
//cudagen:len S=bytes(min(m,n),dataTypeS) U=bytes(matrix(m,econ!=0?min(m,n):m,ldu),dataTypeU) V=bytes(matrix(n,econ!=0?min(m,n):n,ldv),dataTypeV)
//cudagen:out h_err_sigma
//cudagen:functions cusolverDnXlarft*
//cudagen:len V=bytes(storev==CUBLAS_STOREV_COLUMNWISE?matrix(n,k,ldv):matrix(k,n,ldv),dataTypeV) tau=bytes(k,dataTypeTau) T=bytes(matrix(k,k,ldt),dataTypeT)

// What the blocks above say again of the functions that only tell sizes.
//
//cudagen:functions cusolverDn*_bufferSize
//cudagen:out meig h_meig
