import type { Actor } from './actors.ts'
import { type Noun, nouns, type Pools } from './pools.ts'
import type { Staff } from './staff.ts'
import type { Payer } from './wallets.ts'

/** What references may stand for, beside ids. */
export interface Known {
  pools: Pools
  payers: readonly Payer[]
  owners: number
  trapPort: number
  honestPort: number
}

/** What one request knows besides: who sends it, its number, and what its scene has brought so far. */
export interface Sending {
  actor: Actor
  staff: Staff
  number: number
  scene: { number: number; found: Map<string, string> }
}

/** A word that tells whose a text is and which request brought it: `Mk0q12e`. */
export const markOf = (owner: number, number: number): string => `Mk${owner}q${number}e`
export const anyMark = /Mk(\d+)(?:q(\d+))?e/g

const form = /~(\w+)(?:\.(\w+))?(?:\.(\d+))?~/g

/** Puts in what references stand for: `~mark~`, `~key~`, `~own.intent.3~`, `~other.product.0~`, `~scene.intent~`, `~code~`. */
export function filler(known: Known, sending: Sending): (text: string) => string {
  const { actor, staff, number, scene } = sending
  const payer = known.payers[number % known.payers.length]
  const pick = (owner: number, noun: string, place: number): string =>
    known.pools.pick(owner % known.owners, noun as Noun, place) ?? 'none'
  const words: Record<string, string> = {
    mark: markOf(actor.owner, number),
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
    if (first === 'own') return pick(actor.owner, second ?? '', at)
    if (first === 'other') return pick(actor.owner + 1 + (at % 2), second ?? '', at)
    if (first === 'scene')
      return second === undefined ? `scene-${scene.number}` : (scene.found.get(second) ?? 'none')
    return words[first] ?? (nouns.includes(first as Noun) ? pick(actor.owner, first, at) : undefined)
  }
  return (text) =>
    text.replaceAll(
      form,
      (whole, first: string, second?: string, place?: string) => standFor(first, second, place) ?? whole,
    )
}
