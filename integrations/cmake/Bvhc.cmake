# Compiles models with bvhc:
#
#   include(integrations/cmake/Bvhc.cmake)
#   bvhc_add_models(models OUT_DIR ${CMAKE_BINARY_DIR}/models FLAGS --quality best MODELS castle.obj hall.gltf)
#
# The target `models` makes OUT_DIR/castle.bvh and OUT_DIR/hall.bvh; its property BVHC_OUTPUTS lists them. Files that a model
# refers to need no mention: the depfile names them. BVHC_EXECUTABLE is the program.

# The first version that reads depfiles with both Make and Ninja, whatever folder their paths start from.
if(CMAKE_VERSION VERSION_LESS 3.21)
    message(FATAL_ERROR "Bvhc.cmake needs CMake 3.21")
endif()
cmake_policy(VERSION 3.21)

find_program(BVHC_EXECUTABLE bvhc DOC "The compiler of models" REQUIRED)

# bvhc_add_models(TARGET [OUT_DIR DIR] [FLAGS FLAG...] MODELS MODEL...)
function(bvhc_add_models target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUT_DIR" "FLAGS;MODELS")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_MODELS)
        message(FATAL_ERROR "bvhc_add_models(TARGET [OUT_DIR DIR] [FLAGS FLAG...] MODELS MODEL...)")
    endif()
    if(NOT arg_OUT_DIR)
        set(arg_OUT_DIR "${CMAKE_CURRENT_BINARY_DIR}")
    endif()
    cmake_path(ABSOLUTE_PATH arg_OUT_DIR BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
    file(MAKE_DIRECTORY "${arg_OUT_DIR}")
    set(outputs)
    foreach(model IN LISTS arg_MODELS)
        cmake_path(ABSOLUTE_PATH model BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
        cmake_path(GET model STEM LAST_ONLY name)
        set(output "${arg_OUT_DIR}/${name}.bvh")
        add_custom_command(
            OUTPUT "${output}"
            COMMAND "${BVHC_EXECUTABLE}" "${model}" -o "${output}" --depfile "${output}.d" --hermetic --quiet ${arg_FLAGS}
            # Another compiler may make another file.
            DEPENDS "${model}" "${BVHC_EXECUTABLE}"
            DEPFILE "${output}.d"
            COMMENT "bvhc ${name}.bvh"
            VERBATIM)
        list(APPEND outputs "${output}")
    endforeach()
    add_custom_target("${target}" ALL DEPENDS ${outputs})
    set_property(TARGET "${target}" PROPERTY BVHC_OUTPUTS "${outputs}")
endfunction()
