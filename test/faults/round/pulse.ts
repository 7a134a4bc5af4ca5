import { availableParallelism, loadavg } from 'node:os'
import type { Fault } from '../evidence/evidence.ts'

const LOOK_EVERY_MS = 1000
/** A round alone keeps the load of two cores at about 6. With four times as much everything takes four times as long, whatever the service does. */
const BUSY_PER_CORE = 6

/**
 * Watches whether the machine has so much else to do that nothing on it is on time, and tells that as a fault, so that no promise about
 * time is judged by it. Stops, and tells the last, when it is called.
 */
export function watchPulse(tell: (fault: Fault) => void): () => void {
  let began: number | null = null
  const end = (): void => {
    if (began !== null) tell({ began, ended: Date.now(), what: 'machine.busy', target: 'machine' })
    began = null
  }
  const look = (): void => {
    const [load = 0] = loadavg()
    if (load / availableParallelism() < BUSY_PER_CORE) end()
    else began ??= Date.now()
  }
  look()
  const timer = setInterval(look, LOOK_EVERY_MS)
  return () => {
    clearInterval(timer)
    end()
  }
}
