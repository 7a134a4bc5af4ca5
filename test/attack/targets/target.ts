import type { Route } from '../../../src/http/operations/route.ts'
import { apiRoutes } from '../../../src/http/routes/routes.ts'
import { pages } from './pages.ts'

export interface Target {
  name: string
  method: string
  path: string
  by: 'key' | 'customer' | 'staff' | 'person'
  query: object | null
  body: TargetBody
  route: Route | null
}

export type TargetBody =
  | { kind: 'none' }
  | { kind: 'json' | 'csv'; schema: object }
  | { kind: 'form'; fields: Readonly<Record<string, readonly string[]>> }

const parameters: Record<string, string> = {
  referenceNumber: 'intent',
  vid: 'variant',
  replayId: 'replay',
  day: 'day',
  endpoints: 'endpoint',
  'webhooks/events': 'delivery',
  'dev/events': 'event',
  replays: 'replay',
  products: 'product',
  orders: 'order',
}

/** `/dev/intents/:referenceNumber` becomes `/dev/intents/~intent~`. An `id` refers to the noun before it. */
const filledIn = (path: string): string =>
  path.replaceAll(
    /((?:(\w+)\/)?(\w[\w-]*))\/:(\w+)/g,
    (_, nouns: string, _first, noun: string, name: string) => {
      const kind = parameters[name] ?? parameters[nouns] ?? parameters[noun]
      if (kind === undefined)
        throw new Error(`${path}: the kind of ${name} is missing in test/attack/targets/target.ts`)
      return `${nouns}/~${kind}~`
    },
  )

const operation = (route: Route): Target => ({
  name: `${route.method.toUpperCase()} ${route.path}`,
  method: route.method.toUpperCase(),
  path: `/api/v1${filledIn(route.path)}`,
  by: 'key',
  query: route.query ?? null,
  body: bodyOf(route),
  route,
})

function bodyOf(route: Route): TargetBody {
  if (route.method === 'get' || route.body === undefined) return { kind: 'none' }
  return { kind: route.readsCsv ? 'csv' : 'json', schema: route.body }
}

export const targets: readonly Target[] = [...apiRoutes.map(operation), ...pages]
