import { parseArgs } from 'node:util'
import type { Servers } from './plan/fault.ts'

/** The parsed command line. */
export type Command =
  | { action: 'check'; folder: string }
  | { action: 'mutants'; names: string[] }
  | { action: 'run' | 'plan'; rounds: NumberedRound[]; keep: boolean }

/** One round of a run: `4711-3` is the third of the run with the seed 4711. */
export type NumberedRound = { seed: number; round: number; servers: Servers; seconds: number }

const SOAK_MINUTES = 60
const LONGEST_ROUND_MINUTES = 5
const SHORTEST_MINUTES = 0.25

/** @throws {Error} if an argument is wrong */
export function readArguments(args: string[], defaultSeed: number): Command {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean', default: false }] as const
  const texts = {
    seed: text,
    minutes: { ...text, default: '10' },
    'round-minutes': text,
    check: text,
  } as const
  const flags = { soak: flag, 'one-member': flag, 'three-members': flag, keep: flag, plan: flag, mutants: flag }
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options: { ...texts, ...flags } })
  if (values.check !== undefined) return { action: 'check', folder: values.check }
  if (values.mutants) return { action: 'mutants', names: positionals }
  if (positionals.length > 0) throw new Error(`Unknown arguments: ${positionals.join(' ')}`)
  const kinds = (['one-member', 'three-members'] as const).filter((kind) => values[kind])
  if (kinds.length > 1) throw new Error('--one-member or --three-members, not both')
  const minutes = values.soak ? SOAK_MINUTES : amount('minutes', values.minutes)
  const given = values['round-minutes']
  const roundMinutes = given === undefined ? defaultRoundMinutes(minutes) : amount('round-minutes', given)
  const [seed, round] = seedIn(values.seed ?? String(defaultSeed))
  const count = round === null ? Math.max(1, Math.round(minutes / roundMinutes)) : 1
  const rounds = Array.from({ length: count }, (_, index) => {
    const number = round ?? index + 1
    return { seed, round: number, servers: kinds[0] ?? serversOf(number), seconds: roundMinutes * 60 }
  })
  return { action: values.plan ? 'plan' : 'run', rounds, keep: values.keep }
}

/** The command that repeats one round. */
export const commandFor = ({ seed, round, servers, seconds }: NumberedRound): string =>
  `npm run faults -- --seed ${seed}-${round} --round-minutes ${seconds / 60} --${servers}`

/** At least four rounds if there is time, two with each kind of servers. */
const defaultRoundMinutes = (minutes: number): number =>
  Math.max(SHORTEST_MINUTES, Math.min(LONGEST_ROUND_MINUTES, minutes / 2, Math.max(1, minutes / 4)))

const serversOf = (round: number): Servers => (round % 2 === 1 ? 'one-member' : 'three-members')

function seedIn(text: string): [seed: number, round: number | null] {
  const found = /^(\d{1,9})(?:-(\d{1,4}))?$/.exec(text)
  if (found === null) throw new Error('--seed is a whole number of up to 9 digits, or one with the round: 4711-3')
  return [Number(found[1]), found[2] === undefined ? null : Number(found[2])]
}

function amount(name: string, text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value >= SHORTEST_MINUTES && value <= 10_000) return value
  throw new Error(`--${name} must be a number of minutes, a quarter or more`)
}
