import type { Cast } from './cast/cast.ts'
import { harvest } from './cast/harvest.ts'
import { filler, type Sending } from './cast/references.ts'
import type { Attack, Scene } from './generators/attack.ts'
import { answerOracles } from './oracles/oracles.ts'
import { faultOf, type Oracle, type Seen } from './oracles/seen.ts'
import { mayBeCut, mostRepeats, silenceOracles } from './oracles/silence-oracles.ts'
import type { Tally } from './report/tally.ts'
import type { Violations } from './report/violations.ts'
import type { Answer } from './wire/answer.ts'
import { compose } from './wire/compose.ts'
import { type Line, type Nothing, openLine, sendAlone } from './wire/line.ts'

export interface Field {
  port: number
  cast: Cast
  tally: Tally
  violations: Violations
}

/** Sends scenes, and applies every oracle to every response. */
export interface Assault {
  /** The number of requests sent. */
  sent(): number
  /** The statuses of the responses, by the number of the request. */
  statuses: Map<number, number[]>
  /** Plays scenes, `inFlight` at a time. */
  play(scenes: readonly Scene[], inFlight: number): Promise<void>
}

export function createAssault(field: Field): Assault {
  const { port, cast, tally, violations } = field
  const oracles: Readonly<Record<string, Oracle>> = answerOracles(cast.pools)
  const statuses = new Map<number, number[]>()
  let [requests, scenes, repeats] = [0, 0, 0]

  function judge(attack: Attack, sending: Sending, filled: Filled, answer: Answer, place: number): void {
    const { line, idempotencyKey, bytes } = filled
    const seen: Seen = { ...sending, attack, line, idempotencyKey, place, answer }
    for (const [name, oracle] of Object.entries(oracles)) {
      const fault = faultOf(oracle, seen)
      if (fault !== null)
        violations.add(name, `${attack.target} by ${kindOf(attack, sending)}: ${fault}`, bytes)
    }
    tally.count(attack.target, kindOf(attack, sending), String(answer.status))
    statuses.get(sending.number)?.push(answer.status)
    harvest(cast.pools, cast.secrets, sending, line, answer)
  }

  function judgeSilence(attack: Attack, sending: Sending, filled: Filled, nothing: Nothing): void {
    tally.count(attack.target, kindOf(attack, sending), nothing.none)
    for (const [name, oracle] of Object.entries(silenceOracles)) {
      const fault = oracle({ attack, ...nothing, bytes: filled.bytes.length })
      if (fault !== null) violations.add(name, `${attack.target}: ${fault}`, filled.bytes)
    }
  }

  /** A kept connection may close just when the next request is sent, but not often. */
  function judgeRepeat(attack: Attack, sending: Sending, { bytes }: Filled): void {
    if (mayBeCut(attack, bytes.length)) return
    repeats += 1
    tally.count(attack.target, kindOf(attack, sending), 'sent again')
    if (repeats > mostRepeats(requests))
      violations.add('no hang', `${attack.target}: closed without a response, one of ${repeats} times`, bytes)
  }

  function fillIn(attack: Attack, sending: Sending): Filled {
    const fill = filler(cast.known, sending)
    const { idempotencyKey } = attack
    return {
      bytes: compose(attack, { ...sending, fill }),
      line: fill(attack.line).replace(/^https?:\/\/[^/]*/, ''),
      idempotencyKey: idempotencyKey === null ? null : fill(idempotencyKey),
    }
  }

  async function send(attack: Attack, scene: Sending['scene'], connection: Line): Promise<void> {
    const sending: Sending = {
      actor: pick(cast.actors, attack.actor),
      staff: pick(cast.staff, attack.staff),
      number: requests,
      scene,
    }
    requests += 1
    statuses.set(sending.number, [])
    const filled = fillIn(attack, sending)
    if (attack.raw !== null) {
      const asked = attack.raw.dues.length
      const { answers, end, ms, part } = await sendAlone(port, filled.bytes, asked)
      for (const [place, answer] of answers.entries()) judge(attack, sending, filled, answer, place)
      // After a response, the server may close the connection without answering the other requests.
      const isShort = end === 'late' || part > 0 || (answers.length === 0 && asked > 0)
      if (isShort && end !== 'left') judgeSilence(attack, sending, filled, { none: end, ms, part })
      return
    }
    const came = await connection.send(filled.bytes, attack.method === 'HEAD')
    if (came.isRepeated) judgeRepeat(attack, sending, filled)
    if ('answer' in came) judge(attack, sending, filled, came.answer, 0)
    else judgeSilence(attack, sending, filled, came)
  }

  async function playOne({ oneAtATime, atOnce }: Scene, connection: Line): Promise<void> {
    scenes += 1
    const scene = { number: scenes, found: new Map<string, string>() }
    for (const attack of oneAtATime) await send(attack, scene, connection)
    await Promise.all(
      atOnce.map(async (attack) => {
        const own = openLine(port)
        await send(attack, scene, own)
        own.close()
      }),
    )
  }

  return {
    sent: () => requests,
    statuses,
    async play(some, inFlight) {
      const waiting = [...some]
      const playInTurn = async (): Promise<void> => {
        const connection = openLine(port)
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
          await playOne(next, connection)
        connection.close()
      }
      await Promise.all(Array.from({ length: inFlight }, playInTurn))
    },
  }
}

interface Filled {
  bytes: Buffer
  /** Path and query, without a host. */
  line: string
  idempotencyKey: string | null
}

const pick = <Item>(some: readonly Item[], number: number): Item => some[number % some.length] as Item

const kindOf = (attack: Attack, { actor, staff }: Sending): string =>
  /^\w+ \/admin(\/|$)/.test(attack.target) ? `staff: ${staff.role}` : actor.kind
