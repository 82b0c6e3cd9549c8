// cuFFT for Go: what its types do not say. A transform's elements are its plan's business, so plans keep how many there
// are: in and out, and of which kind the transform is.
#include <cufft.h>

//cudagen:library cufft linux=libcufft.so.12,libcufft.so.11 windows=cufft64_12.dll,cufft64_11.dll
//cudagen:version CUFFT_VER_MAJOR CUFFT_VER_MINOR CUFFT_VER_PATCH property=cufftGetProperty
//cudagen:trim cufft CUFFT_ _t
//cudagen:rename cufftHandle=Plan cufftResult_t=Status cufftType_t=Kind cufftProperty_t=Property libraryPropertyType_t=VersionPart
//cudagen:status cufftResult
//cudagen:handle cufftHandle destroy=cufftDestroy stream=cufftSetStream
//cudagen:makes cufftCreate cufftPlan1d cufftPlan2d cufftPlan3d cufftPlanMany

// A plan is ready when it has a work area, which it makes by itself unless it is told not to.
//
//cudagen:functions cufftPlan* cufftCreate
//cudagen:keep ready=1

//cudagen:functions cufftPlan[123]d cufftMakePlan[123]d
//cudagen:keep kind=type
//cudagen:out workSize
//cudagen:functions cufftMakePlan*
//cudagen:keep area=workSize

// Half of the complex numbers of a transform of real numbers determine the other half, in the last dimension.
//
//cudagen:functions cufftPlan1d cufftMakePlan1d
//cudagen:keep in=type==CUFFT_C2R||type==CUFFT_Z2D?(nx/2+1)*batch:nx*batch out=type==CUFFT_R2C||type==CUFFT_D2Z?(nx/2+1)*batch:nx*batch

//cudagen:functions cufftPlan2d cufftMakePlan2d
//cudagen:keep in=type==CUFFT_C2R||type==CUFFT_Z2D?nx*(ny/2+1):nx*ny out=type==CUFFT_R2C||type==CUFFT_D2Z?nx*(ny/2+1):nx*ny

//cudagen:functions cufftPlan3d cufftMakePlan3d
//cudagen:keep in=type==CUFFT_C2R||type==CUFFT_Z2D?nx*ny*(nz/2+1):nx*ny*nz out=type==CUFFT_R2C||type==CUFFT_D2Z?nx*ny*(nz/2+1):nx*ny*nz

//cudagen:functions cufftPlanMany cufftMakePlanMany cufftMakePlanMany64
//cudagen:host n=rank inembed=rank onembed=rank
//cudagen:nullable inembed onembed
//cudagen:require rank>=1&&rank<=3 a transform has 1 to 3 dimensions
//cudagen:require go.together(inembed,onembed)==1 both or neither of inembed and onembed are nil
//cudagen:keep kind=type in=go.manyIn(rank,n,inembed,istride,idist,type,batch) out=go.manyOut(rank,n,onembed,ostride,odist,type,batch)
//cudagen:out workSize

//cudagen:functions cufftGetSizeMany cufftGetSizeMany64 cufftEstimateMany
//cudagen:host n=rank inembed=rank onembed=rank
//cudagen:nullable inembed onembed
//cudagen:out workSize workArea

//cudagen:functions cufftGetSize cufftGetSize[123]d cufftEstimate[123]d
//cudagen:out workSize

//cudagen:functions cufftCreate
//cudagen:name NewPlan
//cudagen:doc makes a plan that a method MakePlan then fills

//cudagen:functions cufftPlan1d
//cudagen:name NewPlan1D
//cudagen:doc makes a plan for batch transforms of nx elements each, one behind the other

//cudagen:functions cufftPlan2d
//cudagen:name NewPlan2D
//cudagen:doc makes a plan for a transform of nx rows of ny elements

//cudagen:functions cufftPlan3d
//cudagen:name NewPlan3D
//cudagen:doc makes a plan for a transform of nx planes of ny rows of nz elements

//cudagen:functions cufftPlanMany
//cudagen:name NewPlanMany
//cudagen:doc makes a plan for batch transforms of rank dimensions n, whose elements lie as inembed, istride and idist say, or one behind the other without them

//cudagen:functions cufftExec*
//cudagen:len idata=plan.in odata=plan.out
//cudagen:require plan.ready==1||plan.area==0 give the plan its work area: SetWorkArea

//cudagen:functions cufftExecC2C
//cudagen:require plan.kind==CUFFT_C2C the plan is for another kind of transform
//cudagen:functions cufftExecR2C
//cudagen:require plan.kind==CUFFT_R2C the plan is for another kind of transform
//cudagen:functions cufftExecC2R
//cudagen:require plan.kind==CUFFT_C2R the plan is for another kind of transform
//cudagen:functions cufftExecZ2Z
//cudagen:require plan.kind==CUFFT_Z2Z the plan is for another kind of transform
//cudagen:functions cufftExecD2Z
//cudagen:require plan.kind==CUFFT_D2Z the plan is for another kind of transform
//cudagen:functions cufftExecZ2D
//cudagen:require plan.kind==CUFFT_Z2D the plan is for another kind of transform

//cudagen:functions cufftSetWorkArea
//cudagen:len workArea=asked(cufftGetSize)
//cudagen:hold workArea
//cudagen:keep ready=1
//cudagen:doc has the plan work in that memory, of GetSize bytes

//cudagen:functions cufftSetAutoAllocation
//cudagen:keep ready=autoAllocate!=0
//cudagen:doc says whether a method MakePlan that is called next gets the plan its work area

//cudagen:functions cufftSetPlanPropertyInt64 cufftResetPlanProperty

//cudagen:functions cufftGetPlanPropertyInt64
//cudagen:out returnPtrValue

//cudagen:functions cufftGetVersion
//cudagen:out version

//cudagen:functions cufftGetProperty
//cudagen:out value
