import { type Answer, parsed } from '../wire/answer.ts'
import type { Noun, Pools } from './pools.ts'
import type { Sending } from './references.ts'
import type { MadeSecrets } from './secrets.ts'

interface Thing {
  [field: string]: unknown
}

/** The kind of the ids in a response, by the path of the request. */
const kinds: [address: RegExp, noun: Noun][] = [
  [/\/store\/products/, 'product'],
  [/\/store\/orders/, 'order'],
  [/\/webhooks\/events/, 'delivery'],
  [/\/webhooks/, 'endpoint'],
]

/** Keeps the ids and secrets of a response. */
export function harvest(
  pools: Pools,
  secrets: MadeSecrets,
  sending: Sending,
  line: string,
  answer: Answer,
): void {
  const { owner, mode } = sending.actor
  for (const cookie of answer.cookies) secrets.add('session', cookie.split(/[=;]/)[1] ?? '')
  const token = /name="(?:form|csrf)" value="([^"]+)"/.exec(answer.body)?.[1]
  if (token !== undefined) {
    secrets.add('form token', token)
    sending.scene.found.set('form', token)
  }
  const data = answer.body.startsWith('{"success":true') ? (parsed(answer) as { data?: unknown })?.data : null
  if (!isThing(data) || owner < 0) return
  const things = Array.isArray(data.items) ? data.items.filter(isThing) : [data]
  const noun = kinds.find(([address]) => address.test(line))?.[1]
  for (const thing of things) keep(thing, noun, (each, id) => pools.add(owner, mode, each, id))
  for (const thing of things) {
    if (typeof thing.secret === 'string') secrets.add('webhook secret', thing.secret)
    if (typeof thing.code === 'string') secrets.add('code', thing.code)
  }
  if (typeof data.referenceNumber === 'string') sending.scene.found.set('intent', data.referenceNumber)
  if (typeof data.shortCode === 'string') sending.scene.found.set('short', data.shortCode)
}

const isThing = (part: unknown): part is Thing => typeof part === 'object' && part !== null

function keep(thing: Thing, noun: Noun | undefined, add: (noun: Noun, id: string) => void): void {
  const say = (each: Noun, id: unknown): void => {
    if (typeof id === 'string' && id !== '') add(each, id)
  }
  if (noun !== undefined) say(noun, thing.id ?? thing._id)
  else say('intent', thing.referenceNumber)
  say('short', thing.shortCode)
  say('code', thing.code)
  say('orderNumber', thing.orderNumber ?? thing.number)
  if (Array.isArray(thing.variants)) for (const each of thing.variants as Thing[]) say('variant', each._id)
}
