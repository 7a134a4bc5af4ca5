import { describedAs, type Operation, openapi, operations } from '../../dev/openapi-document.ts'

// Bruno, Insomnia and others can import this Postman collection too. The package openapi-to-postmanv2 would give each
// request a random id, and invent its own example bodies.

type Described = (typeof operations)[number]

export function generateCollection(): string {
  const items = folders().map(({ steps, ...folder }) => ({ ...folder, item: steps.map(itemOf) }))
  const examples = Object.entries(stored).flatMap(([operationId, fields]) =>
    Object.entries(fields).map(([key, field]) => ({ key, value: exampleAt(operationId, field) })),
  )
  const text = examples.reduce(
    (before, { key, value }) => before.replaceAll(value, `{{${key}}}`),
    JSON.stringify(items),
  )
  return JSON.stringify({
    info: { name: openapi.info.title, description: guide, schema },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    event: [eventOf('test', checks(items.flatMap(({ item }) => item)))],
    variable: [
      { key: 'base_url', value: `${describedAs.publicUrl}/api/v1` },
      { key: 'api_key', value: '' },
      ...examples,
      { key: 'tries', value: '0' },
    ],
    item: (JSON.parse(text) as typeof items).map(({ item, ...folder }) => ({
      ...folder,
      item: item.map(({ described: _described, ...each }) => each),
    })),
  })
}

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

const guide =
  'Set the variable `api_key` to a test key (`sk_test_…`), then run the whole collection, or single requests in this order. Each write sends a new idempotency key. A request that creates something stores its id in a variable, and the other requests use it. Tests compare each response with the API description.'

/** The variables that a response sets, and from which of its fields. */
const stored: Record<string, Record<string, string>> = {
  createIntent: { intent: 'referenceNumber' },
  listEvents: { event: 'items.0.id' },
  createWebhookEndpoint: { webhookEndpoint: 'id' },
  replayWebhookEvents: { replay: 'id' },
  listWebhookDeliveries: { delivery: 'items.0.id' },
  createProduct: { product: '_id', variant: 'variants.0._id' },
  simulateOrder: { order: '_id' },
}
/** A worker makes their first item a moment later. */
const waiting = new Set(['listEvents', 'listWebhookDeliveries'])
const maxTries = 100

const exampleAt = (operationId: string, field: string): string =>
  String(
    field.split('.').reduce((part, name) => (part as Record<string, unknown>)[name], dataOf(operationId)),
  )

function dataOf(operationId: string): unknown {
  const { responses } = operations.find((each) => each.operationId === operationId) as Operation
  const { example } = (responses[201] ?? responses[200])?.content?.['application/json'] ?? {}
  return (example as { data: unknown }).data
}

/** Replays create the deliveries, and only a PENDING intent can be cancelled. */
const ranks: Record<string, number> = { replayWebhookEvents: -1, cancelIntent: 1, cancelWebhookReplay: 1 }
const rankOf = ({ operationId }: Operation): number => ranks[operationId] ?? 0

function folders() {
  const [deleting, others] = [true, false].map((isWanted) =>
    operations.filter(({ method }) => (method === 'DELETE') === isWanted),
  ) as [Described[], Described[]]
  const byTag = openapi.tags.map(({ name, description }) => {
    const steps = others.filter((each) => each.tags[0] === name).toSorted((a, b) => rankOf(a) - rankOf(b))
    return { name, description, steps: steps.flatMap(withOwnIntent) }
  })
  return [...byTag, { name: 'Deletion', description: 'Deletes what the others created.', steps: deleting }]
}

/** The first intent is paid by then. */
function withOwnIntent(operation: Described): Described[] {
  const create = operations.find(({ operationId }) => operationId === 'createIntent') as Described
  if (operation.operationId !== 'cancelIntent') return [operation]
  return [{ ...create, summary: 'Create a payment intent to cancel' }, operation]
}

/** What the description's examples send, but for a new key. */
const changes: Record<string, { body?: object; omits?: string }> = {
  replayWebhookEvents: { body: { from: '2026-01-01', onlyUndelivered: true } },
  listWebhookDeliveries: { omits: 'status' },
}

function itemOf(operation: Described) {
  const { method, path, operationId, summary, description, requestBody } = operation
  const { body = requestBody?.content['application/json']?.example, omits } = changes[operationId] ?? {}
  const parameters = operation.parameters.filter(({ name }) => name !== omits)
  const fields = stored[operationId]
  return {
    name: summary,
    described: describedResponse(operation),
    event: fields && [eventOf('test', stores(fields, waiting.has(operationId)))],
    request: {
      method,
      description,
      header: [
        ...(method === 'GET' ? [] : [{ key: 'X-Idempotency-Key', value: '{{$guid}}' }]),
        ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
      ],
      body: body && { mode: 'raw', raw: JSON.stringify(body, null, 2), options: json },
      url: urlOf(path, parameters),
    },
  }
}

const json = { raw: { language: 'json' } }

const eventOf = (listen: 'test', exec: string[]) => ({ listen, script: { type: 'text/javascript', exec } })

function stores(fields: Record<string, string>, waits: boolean): string[] {
  const [first] = Object.values(fields)
  return [
    'const at = (field) => field.split(".").reduce((part, name) => part?.[name], pm.response.json().data)',
    'const set = (name, value) => pm.collectionVariables.set(name, value)',
    ...(waits
      ? [
          'const tries = Number(pm.collectionVariables.get("tries"))',
          `const waits = at("${first}") === undefined && tries < ${maxTries}`,
          'set("tries", waits ? tries + 1 : 0)',
          'if (waits) setTimeout(() => pm.execution.setNextRequest(pm.info.requestName), 200)',
          `else pm.test("has an item", () => pm.expect(at("${first}")).to.be.a("string"))`,
        ]
      : []),
    `for (const [name, field] of Object.entries(${JSON.stringify(fields)}))`,
    '  if (at(field) !== undefined) set(name, at(field))',
  ]
}

/** The response that the examples' requests get. */
function describedResponse({ responses }: Operation) {
  const status = responses[201] === undefined ? 200 : 201
  const content = responses[status]?.content ?? {}
  const types = Object.keys(content)
  const { schema: ofJson } = (content['application/json'] ?? {}) as { schema?: object }
  return { status, types, schema: ofJson }
}

/** Postman has Ajv 6, which doesn't know OpenAPI's number formats. */
function checks(items: { name: string; described: ReturnType<typeof describedResponse> }[]): string[] {
  const byName = withoutTexts(Object.fromEntries(items.map(({ name, described }) => [name, described])))
  const schemas = withoutTexts(reachableFrom(byName))
  return [
    `const all = ${byName}`,
    `const components = { schemas: ${schemas} }`,
    'const { status, types, schema } = all[pm.info.requestName]',
    'pm.test("has the described status", () => pm.response.to.have.status(status))',
    'const type = (pm.response.headers.get("Content-Type") ?? "").split(";")[0]',
    'pm.test("has a described type", () => pm.expect(types).to.include(type))',
    'if (type === "application/json") pm.test("matches the description", () =>',
    '  pm.response.to.have.jsonSchema({ ...schema, components }, { unknownFormats: "ignore" }))',
  ]
}

function reachableFrom(text: string): Record<string, object> {
  const found: Record<string, object> = {}
  const texts = [text]
  for (const each of texts)
    for (const [, name = ''] of each.matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (found[name] !== undefined) continue
      found[name] = openapi.components.schemas[name] ?? {}
      texts.push(JSON.stringify(found[name]))
    }
  return found
}

/** Keeps fields that are called `description`, whose value is a schema. */
const withoutTexts = (part: object): string =>
  JSON.stringify(part, (key, value) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  )

function urlOf(path: string, parameters: Operation['parameters']) {
  const steps = path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/')
  const described = (location: string) =>
    parameters
      .filter((each) => each.in === location)
      .map(({ name, example, description }) => ({
        key: name,
        value: String(example ?? ''),
        description,
        disabled: example === undefined && location === 'query' ? true : undefined,
      }))
  const [query, variable] = [described('query'), described('path')]
  const sent = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`)
  return {
    raw: `{{base_url}}/${steps.join('/')}${sent.length > 0 ? `?${sent.join('&')}` : ''}`,
    host: ['{{base_url}}'],
    path: steps,
    query: query.length > 0 ? query : undefined,
    variable: variable.length > 0 ? variable : undefined,
  }
}
