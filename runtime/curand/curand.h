// cuRAND for Go: what its types do not say. Left out of its 29 functions is the generator that writes to the memory of the host.
#include <curand.h>

//cudagen:library curand linux=libcurand.so.10 windows=curand64_10.dll
//cudagen:version CURAND_VER_MAJOR CURAND_VER_MINOR CURAND_VER_PATCH property=curandGetProperty
//cudagen:trim curand CURAND_RNG_ CURAND_ _t
//cudagen:rename curandStatus=Status curandRngType=Kind curandOrdering=Ordering curandMethod=Method curandDirectionVectorSet=DirectionVectorSet libraryPropertyType_t=VersionPart
//cudagen:rename CURAND_RNG_PSEUDO_XORWOW=XORWOW CURAND_RNG_PSEUDO_PHILOX4_32_10=Philox4x32 CURAND_RNG_PSEUDO_MRG32K3A=MRG32k3a CURAND_RNG_PSEUDO_MTGP32=MTGP32
//cudagen:rename CURAND_RNG_PSEUDO_MT19937=MT19937 CURAND_RNG_QUASI_SOBOL32=Sobol32 CURAND_RNG_QUASI_SCRAMBLED_SOBOL32=ScrambledSobol32
//cudagen:rename CURAND_RNG_QUASI_SOBOL64=Sobol64 CURAND_RNG_QUASI_SCRAMBLED_SOBOL64=ScrambledSobol64
//cudagen:status curandStatus_t
//cudagen:handle curandGenerator_t destroy=curandDestroyGenerator stream=curandSetStream
//cudagen:makes curandCreateGenerator

//cudagen:functions curand*
//cudagen:out version

//cudagen:functions curandGenerate curandGenerateLongLong curandGenerateUniform* curandGenerateBinomial*
//cudagen:len outputPtr=num

//cudagen:functions curandGenerate*Normal* curandGeneratePoisson*
//cudagen:len outputPtr=n

//cudagen:functions curandCreateGeneratorHost
//cudagen:ignore

//cudagen:functions curandCreateGenerator
//cudagen:name NewGenerator
//cudagen:doc makes a generator of that kind, with the seed 0 or, of a quasirandom one, one dimension

//cudagen:functions curandGetProperty
//cudagen:out value

//cudagen:functions curandSetPseudoRandomGeneratorSeed
//cudagen:name SetSeed
//cudagen:doc sets the seed. A generator that has made numbers goes on behind them: for the first ones set the offset 0, too

//cudagen:functions curandSetGeneratorOffset
//cudagen:name SetOffset
//cudagen:doc has the next number be the one with that number, counted from 0, whatever was made before

//cudagen:functions curandSetGeneratorOrdering
//cudagen:name SetOrdering
//cudagen:doc sets in which order the numbers lie in memory

//cudagen:functions curandSetQuasiRandomGeneratorDimensions
//cudagen:name SetDimensions
//cudagen:doc sets how many dimensions quasirandom numbers have, 1 to 20,000. Those of a dimension lie one behind the other

//cudagen:functions curandGenerateSeeds
//cudagen:stream
//cudagen:doc makes the state, which otherwise the first numbers wait for

//cudagen:functions curandGenerate
//cudagen:doc writes num random numbers of 32 bits

//cudagen:functions curandGenerateLongLong
//cudagen:name GenerateUint64
//cudagen:doc writes num quasirandom numbers of 64 bits, of generators with 64 in their name alone

//cudagen:functions curandGenerateUniform curandGenerateUniformDouble
//cudagen:doc writes num numbers between 0, which does not occur, and 1, which does

//cudagen:functions curandGenerateNormal curandGenerateNormalDouble
//cudagen:doc writes n numbers of a normal distribution: an even number for most generators

//cudagen:functions curandGenerateLogNormal curandGenerateLogNormalDouble
//cudagen:doc writes n numbers whose logarithms are of a normal distribution: an even number for most generators

//cudagen:functions curandGeneratePoisson curandGeneratePoissonMethod
//cudagen:doc writes n numbers of a Poisson distribution

//cudagen:functions curandGenerateBinomial curandGenerateBinomialMethod
//cudagen:doc writes num numbers of a binomial distribution: of n trials, each with the probability p

//cudagen:functions curandCreatePoissonDistribution
//cudagen:name NewPoissonDistribution
//cudagen:out discrete_distribution=ptr
//cudagen:doc makes a table for curand_discrete in kernels. DestroyDistribution frees it

//cudagen:functions curandDestroyDistribution
//cudagen:ptr discrete_distribution
//cudagen:doc frees what NewPoissonDistribution has made

// Tables of 20,000 dimensions.
//
//cudagen:functions curandGetDirectionVectors*
//cudagen:out vectors=host(20000)
//cudagen:doc returns the direction vectors of 20,000 dimensions, for curand_init in kernels

//cudagen:functions curandGetScrambleConstants*
//cudagen:out constants=host(20000)
//cudagen:doc returns the scramble constants of 20,000 dimensions, for curand_init in kernels
