export const version = '8.2.6'

/** MongoDB's official builds, with the SHA-256 of their archives in base64. Those for Linux are of Ubuntu 24.04. */
export const builds = {
  'linux-x64': {
    name: 'linux/mongodb-linux-x86_64-ubuntu2404',
    sha256: 'VjFKDwqBI42XQwL7/+eGLv6WlMSY6tYqC8qSy1laDfA=',
  },
  'linux-arm64': {
    name: 'linux/mongodb-linux-aarch64-ubuntu2404',
    sha256: 'jqpQ0gjoLfnv+kYqbFyyAKZbA3+hGK8BU/cBzhzqtCI=',
  },
  'darwin-x64': {
    name: 'osx/mongodb-macos-x86_64',
    sha256: 'Oba6gK0hrRyo29mJ1/6Bpgql9BR160LUJH/kB0AGLz0=',
  },
  'darwin-arm64': {
    name: 'osx/mongodb-macos-arm64',
    sha256: '74MB0FzbRoZ3Wu4d3OORtfHNZ83GEXnC0h2rJGosTxs=',
  },
}
