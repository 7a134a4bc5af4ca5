import type { KeyMode } from '../../../src/businesses/api-key.ts'
import type { Actor } from './actors.ts'
import type { Payer, Staff } from './cast.ts'
import { type Noun, nouns, type Pools } from './pools.ts'

type Ports = { trapPort: number; allowedPort: number }
export type Known = Ports & { pools: Pools; payers: readonly Payer[]; owners: number }
type OwnScene = { number: number; found: Map<string, string> }
export type Sending = { actor: Actor; staff: Staff; number: number; sentAt: number; scene: OwnScene }

/** Names the business, the environment and the request that wrote a text, e.g. `Mk0tq12e`. */
export const tagOf = ({ owner, mode }: Pick<Actor, 'owner' | 'mode'>, number: number): string =>
  `Mk${owner}${mode.charAt(0)}q${number}e`
export type Tag = { owner: number; mode: KeyMode | null; number: number | null }

export const tagsIn = (text: string): Tag[] =>
  [...text.replaceAll(/\bv1\.[0-9a-f]{8}\.[\w-]+/g, '').matchAll(/Mk(\d+)(?:([tl])?q(\d+))?e/g)].map(
    ([, owner, letter, number]) => ({
      owner: Number(owner),
      mode: letter === undefined ? null : letter === 't' ? 'test' : 'live',
      number: number === undefined ? null : Number(number),
    }),
  )

const otherMode: Record<KeyMode, KeyMode> = { test: 'live', live: 'test' }
const form = /~(\w+)(?:\.(\w+))?(?:\.(\d+))?~/g

/** Replaces references such as `~tag~`, `~key~`, `~own.intent.3~`, `~other.product.0~` and `~scene.intent~`. */
export function filler(known: Known, sending: Sending): (text: string) => string {
  const { actor, staff, number, scene } = sending
  const payer = known.payers[number % known.payers.length]
  const pick = (owner: number, mode: KeyMode, noun: string, index: number): string =>
    known.pools.pick(owner % known.owners, mode, noun as Noun, index) ?? 'none'
  const pickOther = (noun: string, index: number): string => {
    const step = index % 3
    return pick(actor.owner + step, step === 0 ? otherMode[actor.mode] : actor.mode, noun, index)
  }
  const words: Record<string, string> = {
    tag: tagOf(actor, number),
    urltag: `Mk${actor.owner}q${number}e`,
    key: actor.key ?? 'none',
    csrf: staff.csrf,
    staff: staff.name,
    password: staff.password,
    phone: payer?.phone ?? '',
    pin: payer?.pin ?? '',
    trap: String(known.trapPort),
    allowed: String(known.allowedPort),
    form: scene.found.get('form') ?? 'none',
    day: new Date().toISOString().slice(0, 10),
  }
  const valueOf = (whole: string, first: string, second?: string, index?: string): string => {
    const at = Number(index ?? number)
    if (first === 'mine')
      return second ? pick(staff.owner ?? 0, 'test', second, at) : (staff.businessId ?? 'none')
    if (first === 'own') return pick(actor.owner, actor.mode, second ?? '', at)
    if (first === 'other') return pickOther(second ?? '', at)
    if (first === 'scene') return second ? (scene.found.get(second) ?? 'none') : `scene-${scene.number}`
    if (nouns.includes(first as Noun)) return pick(actor.owner, actor.mode, first, at)
    return words[first] ?? whole
  }
  return (text) => text.replaceAll(form, valueOf)
}
