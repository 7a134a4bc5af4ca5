export async function countLoopIterations(work: () => Promise<unknown>): Promise<number> {
  let count = 0
  let running = true
  const next = () => {
    count += 1
    if (running) setImmediate(next)
  }
  setImmediate(next)
  try {
    await work()
  } finally {
    running = false
  }
  return count
}
