import type { Cast } from './cast/cast.ts'
import { harvest } from './cast/harvest.ts'
import { filler, type Sending } from './cast/references.ts'
import { responseChecks } from './checks/checks.ts'
import { type Exchange, faultOf, isForPeople } from './checks/exchange.ts'
import { maxRepeats, mayBeCut, missingResponseChecks } from './checks/missing-response.ts'
import type { Attack, Scene } from './generators/attack.ts'
import type { Violations } from './violations.ts'
import { compose } from './wire/compose.ts'
import { type Connection, type NoResponse, openConnection, sendAlone } from './wire/connection.ts'
import type { WireResponse } from './wire/response.ts'

export type Assault = ReturnType<typeof createAssault>
type Filled = { attack: Attack; sending: Sending; bytes: Buffer; line: string; idempotencyKey: string | null }

export function createAssault(port: number, cast: Cast, violations: Violations) {
  const checks = responseChecks(cast.pools)
  const statuses = new Map<number, number[]>()
  let [requests, scenes, repeats] = [0, 0, 0]
  function judge({ bytes, attack, sending, ...filled }: Filled, response: WireResponse, index: number): void {
    const exchange: Exchange = { ...sending, ...filled, endedAt: performance.now(), attack, index, response }
    for (const [name, check] of Object.entries(checks)) {
      const fault = faultOf(check, exchange)
      const subject = `${attack.target} by ${kindOf(attack, sending)}`
      if (fault !== null) violations.add(name, `${subject}: ${fault}`, bytes)
    }
    statuses.get(sending.number)?.push(response.status)
    harvest(cast, sending, filled.line, response)
  }
  function judgeMissing({ attack, bytes }: Filled, missing: NoResponse): void {
    for (const [name, check] of Object.entries(missingResponseChecks)) {
      const fault = check({ attack, ...missing, bytes: bytes.length })
      if (fault !== null) violations.add(name, `${attack.target}: ${fault}`, bytes)
    }
  }
  /** A keep-alive connection may close just as the next request is sent, but not often. */
  function judgeRepeat({ attack, bytes }: Filled): void {
    if (mayBeCut(attack, bytes.length)) return
    repeats += 1
    if (repeats > maxRepeats(requests))
      violations.add('no hang', `${attack.target}: closed without a response, one of ${repeats} times`, bytes)
  }
  function fillIn(attack: Attack, sending: Sending): Filled {
    const fill = filler(cast.known, sending)
    const { idempotencyKey } = attack
    return {
      attack,
      sending,
      bytes: compose(attack, { ...sending, fill }),
      line: fill(attack.line).replace(/^https?:\/\/[^/]*/, ''),
      idempotencyKey: idempotencyKey === null ? null : fill(idempotencyKey),
    }
  }
  async function send(attack: Attack, scene: Sending['scene'], connection: Connection): Promise<void> {
    const visitors = isForPeople(attack.line) ? cast.people : cast.staff
    const [actor, staff] = [pick(cast.actors, attack.actor), pick(visitors, attack.staff)]
    const sending: Sending = { actor, staff, number: requests, sentAt: performance.now(), scene }
    requests += 1
    statuses.set(sending.number, [])
    const filled = fillIn(attack, sending)
    if (attack.raw !== null) {
      const expected = attack.raw.expected.length
      const { responses, end, ms, part } = await sendAlone(port, filled.bytes, expected)
      for (const [index, response] of responses.entries()) judge(filled, response, index)
      // The server may close the connection after a response, leaving the other requests without one.
      const isShort = end === 'late' || part > 0 || (responses.length === 0 && expected > 0)
      if (isShort && end !== 'left') judgeMissing(filled, { none: end, ms, part })
      return
    }
    const result = await connection.send(filled.bytes, attack.method === 'HEAD')
    if (result.isRepeated) judgeRepeat(filled)
    if ('response' in result) judge(filled, result.response, 0)
    else judgeMissing(filled, result)
  }
  async function playOne({ oneAtATime, atOnce }: Scene, connection: Connection): Promise<void> {
    scenes += 1
    const scene = { number: scenes, found: new Map<string, string>() }
    for (const attack of oneAtATime) await send(attack, scene, connection)
    await Promise.all(
      atOnce.map(async (attack) => {
        const own = openConnection(port)
        await send(attack, scene, own)
        own.close()
      }),
    )
  }
  return {
    sent: () => requests,
    statuses,
    async play(toPlay: readonly Scene[], inFlight: number): Promise<void> {
      const waiting = [...toPlay]
      const playAll = async (): Promise<void> => {
        const connection = openConnection(port)
        for (let next = waiting.shift(); next; next = waiting.shift()) await playOne(next, connection)
        connection.close()
      }
      await Promise.all(Array.from({ length: inFlight }, playAll))
    },
  }
}

const pick = <Item>(items: readonly Item[], number: number): Item => items[number % items.length] as Item
const kindOf = (attack: Attack, { actor, staff }: Sending): string =>
  /^\w+ \/(admin|till|portal)(\/|$)/.test(attack.target) ? `page of ${staff.role}` : actor.kind
