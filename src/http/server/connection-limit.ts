/**
 * An idle connection uses 13 KB of memory, and a connection on which headers are arriving slowly uses 18 KB (measured).
 * All connections together therefore use at most 180 MB.
 */
export const maxConnections = 10_000
/**
 * The number of file descriptors reserved for files and for connections to MongoDB, Redis, the wallet provider and
 * endpoints.
 */
const otherDescriptors = 1_000

/**
 * Returns the maximum number of connections that a process may have open at a time. Further connections are closed
 * immediately. Each connection uses a file descriptor, and the operating system may allow fewer descriptors than
 * `maxConnections`. A process without free descriptors could not even reach MongoDB. If fewer than twice
 * `otherDescriptors` are available, half of them are used for connections.
 */
export function connectionLimit(descriptors: number = openFilesLimit()): number {
  return Math.min(maxConnections, Math.max(descriptors - otherDescriptors, Math.floor(descriptors / 2)))
}

let openFiles: number | undefined

/** Returns this process's soft limit on open files, which Node.js raises to the hard limit at startup. */
function openFilesLimit(): number {
  // Creating a report takes time, because a report also describes all open sockets. Only one report is therefore
  // created.
  openFiles ??= readOpenFilesLimit()
  return openFiles
}

function readOpenFilesLimit(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files: { soft: number | 'unlimited' } }
  }
  const soft = userLimits?.open_files.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}
