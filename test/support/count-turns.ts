/** Returns how many turns of the event loop passed while `work` ran. */
export async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let running = true
  const count = () => {
    turns += 1
    if (running) setImmediate(count)
  }
  setImmediate(count)
  try {
    await work()
  } finally {
    running = false
  }
  return turns
}
