// A plugin of qemu-user that prints how many guest instructions ran. QEMU's own plugin API is declared here, as its
// version 1 has it (QEMU 4.2 to 8): distributions ship no header.
//   cc -shared -fPIC -O2 insn.c -o libinsn.so && qemu-aarch64 -plugin ./libinsn.so -d plugin PROGRAM
#include <stdint.h>
#include <stdio.h>
#include <stddef.h>

typedef uint64_t plugin_id;
struct block;
extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct block *));
extern size_t qemu_plugin_tb_n_insns(const struct block *);
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct block *, int add_u64, void *, uint64_t);
extern void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);
extern void qemu_plugin_outs(const char *);

int qemu_plugin_version = 1;

static uint64_t instructions;

static void translated(plugin_id id, struct block *block) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, 0, &instructions, qemu_plugin_tb_n_insns(block));
}

static void finished(plugin_id id, void *data) {
    (void)id, (void)data;
    char text[48];
    snprintf(text, sizeof text, "instructions: %llu\n", (unsigned long long)instructions);
    qemu_plugin_outs(text);
}

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
    (void)info, (void)argc, (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, finished, NULL);
    return 0;
}
