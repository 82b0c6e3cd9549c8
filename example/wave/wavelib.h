// What Go has to know of wave.h, and its types do not say.
#include "wave.h"

//cudagen:library wave linux=libwave.so windows=wave.dll
//cudagen:trim wave_ WAVE_ _t
//cudagen:status wave_status text=wave_text
//cudagen:handle wave_string_t destroy=wave_destroy stream=wave_set_stream
//cudagen:makes wave_create

//cudagen:functions wave_create
//cudagen:name NewString
//cudagen:doc makes a string that moves at speed points a step

//cudagen:functions wave_step
//cudagen:len before=n now=n next=n
//cudagen:doc computes the next step of n points
