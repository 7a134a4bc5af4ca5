import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Violation } from '../evidence/evidence.ts'

/** Nothing that is done to the service may make it say that somebody must act, nor anything on stderr. */
export async function logFaults(name: string, logFile: string): Promise<Violation[]> {
  const found: Violation[] = []
  for await (const line of createInterface({ input: createReadStream(logFile) }))
    if (!line.startsWith('{') || /"level":"(error|fatal)"/.test(line))
      found.push({ promise: 'log.calm', of: name, says: line.slice(0, 1500) })
  return found
}
