/** Idle, one takes 13 KB; while it sends headers slowly, 18 KB (measured). That is 180 MB in all. */
export const maxConnections = 10_000
/** For everything else that a process opens: connections to MongoDB, Redis, the wallet provider and endpoints, and files. */
const otherDescriptors = 1_000

/**
 * How many connections a process accepts at once. Further ones are closed at once, so that the accepted ones are served. Each takes a file
 * descriptor, of which the system may allow fewer: a process without any left could not even reach MongoDB. If there are fewer than twice
 * `otherDescriptors`, half of them are for connections.
 */
export function connectionLimit(descriptors: number = openFilesLimit()): number {
  return Math.min(maxConnections, Math.max(descriptors - otherDescriptors, Math.floor(descriptors / 2)))
}

/** The soft limit of this process, which Node has raised to the hard limit by now. */
function openFilesLimit(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files: { soft: number | 'unlimited' } }
  }
  const soft = userLimits?.open_files.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}
