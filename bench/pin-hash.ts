import { createSlowHash, fairShare } from '../src/security/slow-hash.ts'

const LOOKS = 25

/** How long each of some looks at a PIN takes, in milliseconds, one after the other on an idle machine. */
export async function timePinChecks(): Promise<number[]> {
  const slowHash = createSlowHash()
  const check = slowHash.createCheck(fairShare)
  const kept = await slowHash.make('1234')
  const times: number[] = []
  while (times.length < LOOKS) {
    const startAt = performance.now()
    await check('bench', kept, '1234')
    times.push(performance.now() - startAt)
  }
  return times
}
