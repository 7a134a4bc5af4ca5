import type { KeyMode } from '../../../src/businesses/api-key.ts'
import type { Actor } from './actors.ts'
import { type Noun, nouns, type Pools } from './pools.ts'
import type { Staff } from './staff.ts'
import type { Payer } from './wallets.ts'

/** What references may stand for, besides ids. */
export interface Known {
  pools: Pools
  payers: readonly Payer[]
  owners: number
  trapPort: number
  honestPort: number
}

/** One request: its sender, its number, and what its scene has found so far. */
export interface Sending {
  actor: Actor
  staff: Staff
  number: number
  scene: { number: number; found: Map<string, string> }
}

/** A word that names the business, the environment and the request that wrote a text: `Mk0tq12e`. */
export const markOf = ({ owner, mode }: Pick<Actor, 'owner' | 'mode'>, number: number): string =>
  `Mk${owner}${mode.charAt(0)}q${number}e`

/** A parsed mark. The name of a business or shop has no environment or number. The URL of an endpoint serves both environments. */
export interface Mark {
  owner: number
  mode: KeyMode | null
  number: number | null
}

/** Every mark in a text. Ignores sealed text, which may contain any letters. */
export const marksIn = (text: string): Mark[] =>
  [...text.replaceAll(/\bv1\.[0-9a-f]{8}\.[\w-]+/g, '').matchAll(/Mk(\d+)(?:([tl])?q(\d+))?e/g)].map(
    ([, owner, letter, number]) => ({
      owner: Number(owner),
      mode: letter === undefined ? null : letter === 't' ? 'test' : 'live',
      number: number === undefined ? null : Number(number),
    }),
  )

const otherMode: Record<KeyMode, KeyMode> = { test: 'live', live: 'test' }

const form = /~(\w+)(?:\.(\w+))?(?:\.(\d+))?~/g

/** Replaces references: `~mark~`, `~urlmark~`, `~key~`, `~own.intent.3~`, `~other.product.0~`, `~scene.intent~`, `~code~`. */
export function filler(known: Known, sending: Sending): (text: string) => string {
  const { actor, staff, number, scene } = sending
  const payer = known.payers[number % known.payers.length]
  const pick = (owner: number, mode: KeyMode, noun: string, place: number): string =>
    known.pools.pick(owner % known.owners, mode, noun as Noun, place) ?? 'none'
  /** An id of another business, or of the same one in the other environment. */
  const pickOther = (noun: string, place: number): string => {
    const step = place % 3
    return pick(actor.owner + step, step === 0 ? otherMode[actor.mode] : actor.mode, noun, place)
  }
  const words: Record<string, string> = {
    mark: markOf(actor, number),
    urlmark: `Mk${actor.owner}q${number}e`,
    key: actor.key ?? 'none',
    csrf: staff.csrf,
    staff: staff.name,
    password: staff.password,
    phone: payer?.phone ?? '',
    pin: payer?.pin ?? '',
    trap: String(known.trapPort),
    honest: String(known.honestPort),
    form: scene.found.get('form') ?? 'none',
  }
  const standFor = (
    first: string,
    second: string | undefined,
    place: string | undefined,
  ): string | undefined => {
    const at = Number(place ?? number)
    if (first === 'own') return pick(actor.owner, actor.mode, second ?? '', at)
    if (first === 'other') return pickOther(second ?? '', at)
    if (first === 'scene')
      return second === undefined ? `scene-${scene.number}` : (scene.found.get(second) ?? 'none')
    return (
      words[first] ?? (nouns.includes(first as Noun) ? pick(actor.owner, actor.mode, first, at) : undefined)
    )
  }
  return (text) =>
    text.replaceAll(
      form,
      (whole, first: string, second?: string, place?: string) => standFor(first, second, place) ?? whole,
    )
}
