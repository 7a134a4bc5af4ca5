import { parsed, type WireResponse } from '../wire/response.ts'
import type { MadeSecrets } from './cast.ts'
import type { Noun, Pools } from './pools.ts'
import type { Sending } from './references.ts'

type Resource = Record<string, unknown>

const kinds: [path: RegExp, noun: Noun][] = [
  [/\/store\/products/, 'product'],
  [/\/store\/orders/, 'order'],
  [/\/dev\/events/, 'event'],
  [/\/webhooks\/events/, 'delivery'],
  [/\/replays?\b/, 'replay'],
  [/\/webhooks/, 'endpoint'],
]

type Kept = { pools: Pools; secrets: MadeSecrets }
export function harvest({ pools, secrets }: Kept, sending: Sending, line: string, response: WireResponse) {
  const { owner, mode } = sending.actor
  for (const cookie of response.cookies) secrets.add('session', cookie.split(/[=;]/)[1] ?? '')
  const token = /name="(?:form|csrf)" value="([^"]+)"/.exec(response.body)?.[1]
  if (token !== undefined) {
    secrets.add('form token', token)
    sending.scene.found.set('form', token)
  }
  const isDone = response.body.startsWith('{"success":true')
  const data = isDone ? (parsed(response) as { data?: unknown })?.data : null
  if (!isResource(data) || owner < 0) return
  const resources = Array.isArray(data.items) ? data.items.filter(isResource) : [data]
  const noun = kinds.find(([path]) => path.test(line))?.[1]
  for (const resource of resources) {
    keep(resource, noun, (each, id) => pools.add(owner, mode, each, id))
    if (typeof resource.secret === 'string') secrets.add('webhook secret', resource.secret)
    if (typeof resource.code === 'string') secrets.add('code', resource.code)
  }
  if (typeof data.referenceNumber === 'string') sending.scene.found.set('intent', data.referenceNumber)
  if (typeof data.shortCode === 'string') sending.scene.found.set('short', data.shortCode)
}

const isResource = (part: unknown): part is Resource => typeof part === 'object' && part !== null

function keep(resource: Resource, noun: Noun | undefined, add: (noun: Noun, id: string) => void): void {
  const addIfPresent = (each: Noun, id: unknown): void => {
    if (typeof id === 'string' && id !== '') add(each, id)
  }
  if (noun !== undefined) addIfPresent(noun, resource.id ?? resource._id)
  else addIfPresent('intent', resource.referenceNumber)
  addIfPresent('short', resource.shortCode)
  addIfPresent('code', resource.code)
  addIfPresent('orderNumber', resource.orderNumber ?? resource.number)
  if (Array.isArray(resource.variants))
    for (const each of resource.variants as Resource[]) addIfPresent('variant', each._id)
}
