import * as fc from 'fast-check'
import type { Scene } from './attack.ts'
import { cancel, type Plain, plainAttack, post, refund, simulate } from './plain.ts'

const create = (amount: number): Plain =>
  post('/dev/intents', '/dev/intents', { amount, label: '~tag~', metadata: { '~tag~': '~tag~' } })
const look: Plain = { target: 'GET /p/:short', method: 'GET', line: '/p/~scene.short~' }
const form = 'form=~scene.form~&phone=~phone~&pin=~pin~&lang=en'
const pay: Plain = { target: 'POST /p/:short', method: 'POST', line: '/p/~scene.short~', form }
const names = ['simulate', 'cancel', 'half', 'most', 'pay', 'look'] as const
export const races: fc.Arbitrary<Scene> = fc
  .record({
    actor: fc.nat({ max: 1_000_000 }),
    amount: fc.constantFrom(1, 2, 1000, 50_000, 99_901, 99_904),
    isPaidBefore: fc.boolean(),
    rush: fc.array(fc.constantFrom(...names), { minLength: 2, maxLength: 6 }),
  })
  .map(({ actor, amount, isPaidBefore, rush }) => {
    const requests: Record<(typeof names)[number], Plain> = {
      simulate: simulate(),
      cancel: cancel(),
      half: refund({ amount: Math.ceil(amount / 2) }),
      most: refund({ amount: Math.max(1, amount - 1) }),
      pay,
      look,
    }
    const before = [create(amount), look, ...(isPaidBefore ? [simulate()] : [])]
    return {
      oneAtATime: before.map((request) => plainAttack(request, actor)),
      atOnce: rush.map((name) => plainAttack(requests[name], actor)),
    }
  })
