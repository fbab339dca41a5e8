/* Preloaded into the program: what is below LONGBOX_READ_ONLY cannot be changed for as long as the file LONGBOX_READ_ONLY_WHILE exists, as on
   a disk that the system has made read-only after a fault. Files that are open stay open. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *below, *control;

__attribute__((constructor)) static void begin(void) {
  below = getenv("LONGBOX_READ_ONLY");
  control = getenv("LONGBOX_READ_ONLY_WHILE");
}

static int refuses(const char *path) {
  if (!below || !control || strncmp(path, below, strlen(below)) != 0) return 0;
  if (syscall(SYS_faccessat, AT_FDCWD, control, F_OK) != 0) return 0;
  errno = EROFS;
  return 1;
}

static int refuses_fd(int fd) {
  char name[64], path[4096];
  if (!below) return 0;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, name, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return refuses(path);
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; va_start(rest, flags); \
    mode_t mode = va_arg(rest, mode_t); \
    va_end(rest); \
    int changes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)); \
    if (changes && refuses(path)) return -1; \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

ssize_t write(int fd, const void *bytes, size_t size) { REAL(write); return refuses_fd(fd) ? -1 : real(fd, bytes, size); }
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) { REAL(pwrite); return refuses_fd(fd) ? -1 : real(fd, bytes, size, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) { REAL(pwrite64); return refuses_fd(fd) ? -1 : real(fd, bytes, size, at); }
ssize_t writev(int fd, const struct iovec *parts, int count) { REAL(writev); return refuses_fd(fd) ? -1 : real(fd, parts, count); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { REAL(pwritev); return refuses_fd(fd) ? -1 : real(fd, parts, count, at); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) { REAL(pwritev64); return refuses_fd(fd) ? -1 : real(fd, parts, count, at); }
int ftruncate(int fd, off_t size) { REAL(ftruncate); return refuses_fd(fd) ? -1 : real(fd, size); }
int ftruncate64(int fd, off64_t size) { REAL(ftruncate64); return refuses_fd(fd) ? -1 : real(fd, size); }
int unlink(const char *path) { REAL(unlink); return refuses(path) ? -1 : real(path); }
int rename(const char *from, const char *to) { REAL(rename); return refuses(to) || refuses(from) ? -1 : real(from, to); }
int mkdir(const char *path, mode_t mode) { REAL(mkdir); return refuses(path) ? -1 : real(path, mode); }
int rmdir(const char *path) { REAL(rmdir); return refuses(path) ? -1 : real(path); }
