import type { Route } from '../../../src/http/operations/route.ts'
import { routes } from '../../../src/http/routes/routes.ts'
import { pages } from './pages.ts'

/** One address with a method, and what a good request to it brings. */
export interface Target {
  /** `POST /dev/intents`, as the table tells it. */
  name: string
  method: string
  /** With references to ids in the place of its parameters (cast/references.ts). */
  path: string
  /** Who is sent there with what right: a merchant's key, a customer with nothing, a member of staff. */
  by: 'key' | 'customer' | 'staff'
  /** JSON Schema of a good query; null where none is looked at. */
  query: object | null
  body: TargetBody
  route: Route | null
}

/** Which kind of body belongs there. */
export type TargetBody =
  | { kind: 'none' }
  | { kind: 'json' | 'csv'; schema: object }
  | { kind: 'form'; fields: Readonly<Record<string, readonly string[]>> }

/** What stands in the place of a parameter: an id of the kind that belongs there. */
const parameters: Record<string, string> = {
  referenceNumber: 'intent',
  vid: 'variant',
  endpoints: 'endpoint',
  events: 'delivery',
  products: 'product',
  orders: 'order',
}

/** `/dev/intents/~intent~` for `/dev/intents/:referenceNumber`: a parameter `id` is that of the noun before it. */
const filledIn = (path: string): string =>
  path.replaceAll(/(\w[\w-]*)\/:(\w+)/g, (_, noun: string, name: string) => {
    const kind = parameters[name] ?? parameters[noun]
    if (kind === undefined)
      throw new Error(`${path}: nobody knows what ${name} is; say it in test/attack/targets`)
    return `${noun}/~${kind}~`
  })

const operation = (route: Route): Target => ({
  name: `${route.method.toUpperCase()} ${route.path}`,
  method: route.method.toUpperCase(),
  path: `/api/v1${filledIn(route.path)}`,
  by: 'key',
  query: route.about.query,
  body: bodyOf(route),
  route,
})

function bodyOf(route: Route): TargetBody {
  const { body: schema } = route.about
  if (route.method === 'get' || schema === null || route.body === 'none') return { kind: 'none' }
  return { kind: route.body, schema }
}

/** Every operation of the API, so that a new one is attacked by itself, and every page. */
export const targets: readonly Target[] = [...routes.map(operation), ...pages]
