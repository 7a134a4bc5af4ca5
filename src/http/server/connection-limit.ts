/** An idle connection takes 13 KB, and one that sends headers slowly 18 KB (measured). That is at most 180 MB. */
export const maxConnections = 10_000
/** Reserved for connections to MongoDB, Redis, the wallet provider and endpoints, and for files. */
const otherDescriptors = 1_000

/**
 * Returns how many connections a process accepts at once. It closes further connections immediately. Each connection
 * takes a file descriptor, and the system may allow fewer: a process without free descriptors could not even reach
 * MongoDB. If there are fewer than twice `otherDescriptors`, half of them are for connections.
 */
export function connectionLimit(descriptors: number = openFilesLimit()): number {
  return Math.min(maxConnections, Math.max(descriptors - otherDescriptors, Math.floor(descriptors / 2)))
}

/** Returns the soft limit of this process, which Node raises to the hard limit when it starts. */
function openFilesLimit(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files: { soft: number | 'unlimited' } }
  }
  const soft = userLimits?.open_files.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}
