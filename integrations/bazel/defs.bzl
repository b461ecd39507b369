"""Models compiled with bvhc: `bvhc_model`, and `bvhc_toolchain`, which names the program."""

_TOOLCHAIN_TYPE = "@bvhc//:toolchain_type"

def _bvhc_toolchain_impl(ctx):
    return [platform_common.ToolchainInfo(
        bvhc = ctx.attr.bvhc[DefaultInfo].files_to_run,
        flags = ctx.attr.flags,
    )]

bvhc_toolchain = rule(
    implementation = _bvhc_toolchain_impl,
    doc = "The program that compiles models. Remote workers see declared files only: give a statically linked one.",
    attrs = {
        "bvhc": attr.label(
            doc = "The program, a file or a target that makes one.",
            mandatory = True,
            executable = True,
            allow_single_file = True,
            cfg = "exec",
        ),
        "flags": attr.string_list(doc = "Flags for all models, before their own."),
    },
)

def _bvhc_model_impl(ctx):
    tool = ctx.toolchains[_TOOLCHAIN_TYPE]
    output = ctx.actions.declare_file(ctx.label.name + ".bvh")
    arguments = ctx.actions.args()
    arguments.add(ctx.file.src)
    arguments.add("-o", output)

    # --hermetic refuses what would make the file depend on more than the inputs and these flags.
    arguments.add_all(["--hermetic", "--quiet"])
    arguments.add_all(tool.flags)
    arguments.add_all(ctx.attr.flags)
    ctx.actions.run(
        executable = tool.bvhc,
        arguments = [arguments],
        inputs = [ctx.file.src] + ctx.files.data,
        outputs = [output],
        mnemonic = "BvhcCompile",
        progress_message = "Compiling model %s" % ctx.label,
        # Nothing is taken from the environment, so that all who build share the cache.
        env = {},
        use_default_shell_env = False,
    )
    return [DefaultInfo(files = depset([output]), runfiles = ctx.runfiles([output]))]

bvhc_model = rule(
    implementation = _bvhc_model_impl,
    doc = "Compiles a model to NAME.bvh, in one action.",
    attrs = {
        "src": attr.label(
            doc = "The model.",
            mandatory = True,
            allow_single_file = [".obj", ".gltf", ".glb", ".stl", ".ply", ".off"],
        ),
        "data": attr.label_list(
            doc = "Files that the model refers to, such as the buffers of glTF.",
            allow_files = True,
        ),
        "flags": attr.string_list(doc = "Flags of bvhc, such as `--quality=best`."),
    },
    toolchains = [_TOOLCHAIN_TYPE],
)
