import { environment } from '../schemas/environment.ts'
import { createSlowHash } from '../src/security/slow-hash.ts'

const CHECKS = 25

/** Measures single PIN checks on an idle machine, in milliseconds. */
export async function timePinChecks(): Promise<number[]> {
  const slowHash = createSlowHash(environment.properties.HASH_MEMORY_KIB.default)
  const check = slowHash.createCheck()
  const kept = await slowHash.make('1234')
  const times: number[] = []
  while (times.length < CHECKS) {
    const startedAt = performance.now()
    await check('bench', kept, '1234')
    times.push(performance.now() - startedAt)
  }
  return times
}
