import { describedAs, type Operation, openapi, operations } from '../../dev/openapi-document.ts'

// Bruno, Insomnia and others can import this Postman collection too. The package openapi-to-postmanv2 would give each
// request a random id, and invent its own example bodies.

export function generateCollection(): string {
  const created = operations.flatMap(createdIds)
  const folders = openapi.tags.map(({ name, description }) => ({
    name,
    description,
    item: operations.filter((each) => each.tags[0] === name).map(itemOf),
  }))
  const text = created.reduce(
    (before, { example, variable }) => before.replaceAll(example, `{{${variable}}}`),
    JSON.stringify(folders),
  )
  return JSON.stringify({
    info: { name: openapi.info.title, description: guide, schema },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: `${describedAs.publicUrl}/api/v1` },
      { key: 'api_key', value: '' },
      ...created.map(({ variable, example }) => ({ key: variable, value: example })),
    ],
    item: JSON.parse(text) as unknown,
  })
}

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

const guide =
  'Set the variable `api_key` to a test key (`sk_test_…`). Each write sends a new idempotency key. A request that creates something stores its id in a variable, and the other requests use it.'

function createdIds({ operationId, responses }: Operation) {
  const content = responses[201]?.content?.['application/json']
  const example = content?.example as { data: Record<string, string> } | undefined
  const field = ['referenceNumber', 'id', '_id'].find((name) => example?.data[name] !== undefined)
  if (field === undefined) return []
  // `createWebhookEndpoint` creates `webhookEndpoint`.
  const noun = operationId.replace(/^[a-z]+/, '')
  const variable = noun.charAt(0).toLowerCase() + noun.slice(1)
  return [{ variable, field, example: example?.data[field] ?? '' }]
}

function itemOf(operation: (typeof operations)[number]) {
  const { method, path, summary, description, requestBody } = operation
  const body = requestBody?.content['application/json']?.example
  const [created] = createdIds(operation)
  return {
    name: summary,
    event: created && [storesId(created)],
    request: {
      method,
      description,
      header: [
        ...(method === 'GET' ? [] : [{ key: 'X-Idempotency-Key', value: '{{$guid}}' }]),
        ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
      ],
      body: body && { mode: 'raw', raw: JSON.stringify(body, null, 2), options: json },
      url: urlOf(path, operation.parameters),
    },
  }
}

const json = { raw: { language: 'json' } }

const storesId = ({ variable, field }: Record<'variable' | 'field', string>) => ({
  listen: 'test',
  script: {
    type: 'text/javascript',
    exec: [
      `if (pm.response.code === 201) pm.collectionVariables.set('${variable}', pm.response.json().data.${field})`,
    ],
  },
})

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
