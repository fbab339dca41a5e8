/* Preloaded into the program: calls on paths below LONGBOX_HANG wait for as long as the file LONGBOX_HANG_WHILE exists, as those to a dead
   network mount do; and what is told of them says that it is one, and a device of its own. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const char *below, *control;

__attribute__((constructor)) static void begin(void) {
  below = getenv("LONGBOX_HANG");
  control = getenv("LONGBOX_HANG_WHILE");
}

static int is_below(const char *path) {
  return below && path && strncmp(path, below, strlen(below)) == 0;
}

static void wait_for(void) {
  struct timespec pause = {0, 20000000};
  while (control && syscall(SYS_faccessat, AT_FDCWD, control, F_OK) == 0) nanosleep(&pause, NULL);
}

static int on_path(const char *path) {
  if (!is_below(path)) return 0;
  wait_for();
  return 1;
}

static int on_fd(int fd) {
  char name[64], path[4096];
  if (!below) return 0;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, name, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return on_path(path);
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; va_start(rest, flags); \
    mode_t mode = va_arg(rest, mode_t); \
    va_end(rest); \
    on_path(path); \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

int stat(const char *path, struct stat *found) { REAL(stat); on_path(path); return real(path, found); }
int lstat(const char *path, struct stat *found) { REAL(lstat); on_path(path); return real(path, found); }
int fstat(int fd, struct stat *found) { REAL(fstat); on_fd(fd); return real(fd, found); }
int stat64(const char *path, struct stat64 *found) { REAL(stat64); on_path(path); return real(path, found); }
int lstat64(const char *path, struct stat64 *found) { REAL(lstat64); on_path(path); return real(path, found); }
int fstat64(int fd, struct stat64 *found) { REAL(fstat64); on_fd(fd); return real(fd, found); }
int statx(int dir, const char *path, int flags, unsigned mask, struct statx *found) {
  REAL(statx);
  if (path && *path) on_path(path); else on_fd(dir);
  return real(dir, path, flags, mask, found);
}
/* libuv makes this call by its number. */
long syscall(long number, ...) {
  REAL(syscall);
  va_list rest;
  long a[6];
  va_start(rest, number);
  for (int n = 0; n < 6; n++) a[n] = va_arg(rest, long);
  va_end(rest);
  if (number != SYS_statx) return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  const char *path = (const char *)a[1];
  int is_ours = path && *path ? on_path(path) : on_fd((int)a[0]);
  long result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result == 0 && is_ours) ((struct statx *)a[4])->stx_dev_minor ^= 0x77;
  return result;
}
int access(const char *path, int mode) { REAL(access); on_path(path); return real(path, mode); }
char *realpath(const char *path, char *out) { REAL(realpath); on_path(path); return real(path, out); }
ssize_t read(int fd, void *bytes, size_t size) { REAL(read); on_fd(fd); return real(fd, bytes, size); }
ssize_t pread(int fd, void *bytes, size_t size, off_t at) { REAL(pread); on_fd(fd); return real(fd, bytes, size, at); }
ssize_t pread64(int fd, void *bytes, size_t size, off64_t at) { REAL(pread64); on_fd(fd); return real(fd, bytes, size, at); }
ssize_t preadv(int fd, const struct iovec *parts, int count, off_t at) { REAL(preadv); on_fd(fd); return real(fd, parts, count, at); }
ssize_t preadv64(int fd, const struct iovec *parts, int count, off64_t at) { REAL(preadv64); on_fd(fd); return real(fd, parts, count, at); }
DIR *opendir(const char *path) { REAL(opendir); on_path(path); return real(path); }
int scandir(const char *path, struct dirent ***names, int (*filter)(const struct dirent *), int (*order)(const struct dirent **, const struct dirent **)) {
  REAL(scandir);
  on_path(path);
  return real(path, names, filter, order);
}
int scandir64(const char *path, struct dirent64 ***names, int (*filter)(const struct dirent64 *), int (*order)(const struct dirent64 **, const struct dirent64 **)) {
  REAL(scandir64);
  on_path(path);
  return real(path, names, filter, order);
}

#define NFS 0x6969
int statfs(const char *path, struct statfs *found) {
  REAL(statfs);
  on_path(path);
  int result = real(path, found);
  if (result == 0 && is_below(path)) found->f_type = NFS;
  return result;
}
int statfs64(const char *path, struct statfs64 *found) {
  REAL(statfs64);
  on_path(path);
  int result = real(path, found);
  if (result == 0 && is_below(path)) found->f_type = NFS;
  return result;
}
