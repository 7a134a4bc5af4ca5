// `npm run client`: writes the files of docs/clients/, and names each file that it changed.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'
import { type Document, type Operation, openapi } from '../openapi-document.ts'
import { generateCollection } from './collection.ts'

const root = join(import.meta.dirname, '../..')
const clientFile = 'docs/clients/payments.ts'
/** The line of the client that divides the generated part from the hand-written rest, which stays as it is. */
const border = '// Everything above this line is generated from the OpenAPI document.\n'

/** The text of every generated file in docs/clients/, by its path in the project. */
export async function generateClients(): Promise<Record<string, string>> {
  const texts = {
    [clientFile]: await generateClient(),
    'docs/clients/payments.postman_collection.json': generateCollection(),
  }
  return Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, format(path, text)]))
}

/** Formats the text in the same way as every file of the project. */
function format(path: string, text: string): string {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  return execFileSync(process.execPath, [biome, 'format', `--stdin-file-path=${path}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  })
}

async function generateClient(): Promise<string> {
  const nodes = await openapiTS(JSON.stringify(slim(openapi)), {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    alphabetize: false,
  })
  // The client needs neither the interfaces `paths` and `webhooks` nor `$defs`, which is empty.
  const needed = nodes.filter((node) => {
    const { name } = node as { name?: { text: string } }
    return !['paths', 'webhooks', '$defs'].includes(name?.text ?? '')
  })
  const generated = [
    heading(openapi),
    astToString(needed),
    eventsOf(openapi),
    `/** Every error code of the service. */\nexport type ErrorCode = ${unionOf(openapi.components.examples)}`,
    `/** The method and path of every operation. */\nexport const table = ${tableOf(openapi.paths)} as const`,
  ].join('\n\n')
  const [, handWritten] = readFileSync(join(root, clientFile), 'utf8').split(border)
  if (handWritten === undefined) throw new Error(`${clientFile} lacks the line: ${border}`)
  return `${withoutNoise(generated)}\n\n${border}${handWritten}`
}

const heading = ({ info }: Document): string =>
  [
    `// A client for the payment intents API, version ${info.version}. It is one file without dependencies. It runs in`,
    '// Node.js 20 and later, Deno, Bun and other runtimes with fetch and WebCrypto.',
    '//',
    "//   import { createPayments } from './payments.ts'",
    "//   const key = process.env.PAYMENTS_API_KEY ?? ''",
    "//   const payments = createPayments({ key, baseUrl: 'https://api.payments.example' })",
    "//   const intent = await payments.createIntent({ amount: 50_000, label: 'Order 17' })",
  ].join('\n')

const unionOf = (values: object): string =>
  Object.keys(values)
    .map((value) => `'${value}'`)
    .join(' | ')

function eventsOf({ webhooks }: Document): string {
  const bodies = Object.entries(webhooks).map(([event, { post }]) => {
    const { $ref } = post.requestBody.content['application/json'].schema
    return `  '${event}': ${$ref.slice($ref.lastIndexOf('/') + 1)}`
  })
  return [
    `/** The body of each event's webhook. */\nexport interface WebhookEvents {\n${bodies.join('\n')}\n}`,
    '/** The body of a webhook. Compare `event` to find out which event it is. */',
    'export type WebhookEvent = WebhookEvents[keyof WebhookEvents]',
  ].join('\n')
}

/** Removes the parts of generated comments that repeat the types. */
const withoutNoise = (text: string): string =>
  text
    .replaceAll(/^ *\/\*\* @(constant|enum \{\w+\}) \*\/\n/gm, '')
    .replaceAll(/^ *\* @(constant|enum \{\w+\})\n/gm, '')
    .replaceAll('@description ', '')

/** Keywords that do not change a type. */
const ignored = ['example', 'examples', 'format', 'pattern', 'x-error-codes', 'default']

/**
 * Returns the description without the parts that need no type of their own in the client: headers, examples, webhooks,
 * and errors, which all have one shape.
 */
const slim = ({ paths, components, ...rest }: Pick<Document, 'paths' | 'components'>): object => ({
  ...rest,
  webhooks: undefined,
  paths: mapValues(paths, (methods) => mapValues(methods, slimOperation)),
  components: { schemas: mapValues(components.schemas, withoutIgnored) },
})

const slimOperation = ({ operationId, parameters, requestBody, responses }: Operation): object => ({
  operationId,
  parameters: parameters.filter(({ $ref }) => $ref === undefined).map(withoutIgnored),
  ...(requestBody === undefined ? {} : { requestBody: slimContent(requestBody) }),
  responses: mapValues(
    Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith('2'))),
    slimContent,
  ),
})

/** Keeps only JSON, except for an operation that has no JSON. */
function slimContent({ content = {}, ...rest }: { content?: Record<string, object>; headers?: unknown }) {
  const json = content['application/json']
  const kept = json === undefined ? content : { 'application/json': json }
  return { ...rest, headers: undefined, content: mapValues(kept, withoutIgnored) }
}

function withoutIgnored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIgnored)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([word]) => !ignored.includes(word))
      // The words under `properties` are names of fields.
      .map(([word, each]) => [
        word,
        word === 'properties' ? mapValues(each as object, withoutIgnored) : withoutIgnored(each),
      ]),
  )
}

const mapValues = <T>(values: Record<string, T> | object, change: (value: T) => unknown): object =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value as T)]))

/** Returns the table of operations as TypeScript, with the description of each as its comment. */
function tableOf(paths: Record<string, Record<string, Operation>>): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => rowOf(method.toUpperCase(), path, operation)),
  )
  return `{\n${rows.join('\n')}\n}`
}

function rowOf(method: string, path: string, operation: Operation): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const query = parameters.filter((each) => each.in === 'query').map(({ name }) => name)
  const row = {
    method,
    path,
    ...(method !== 'GET' && query.length > 0 ? { query } : {}),
    ...(requestBody === undefined ? {} : { hasBody: true }),
    ...(responses['200'] && !responses['200'].content?.['application/json'] ? { isFile: true } : {}),
  }
  refuseCollisions(operationId, path, query, requestBody)
  const lines = `${summary}.\n\n${description}`.split('\n').map((line) => ` * ${line}`.trimEnd())
  return `/**\n${lines.join('\n')}\n */\n${operationId}: ${JSON.stringify(row)},`
}

/** The client takes all fields of an operation in one object, so their names must differ. */
function refuseCollisions(
  operationId: string,
  path: string,
  query: unknown[],
  requestBody: Operation['requestBody'],
): void {
  const { schema } = (requestBody?.content['application/json'] ?? {}) as { schema?: { properties?: object } }
  const names = [...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name), ...query]
  const all = [...names, ...Object.keys(schema?.properties ?? {})]
  if (new Set(all).size < all.length) throw new Error(`${operationId} has two fields with the same name`)
}

if (import.meta.filename === process.argv[1])
  for (const [path, text] of Object.entries(await generateClients())) {
    const file = join(root, path)
    if (readFileSync(file, 'utf8') === text) continue
    writeFileSync(file, text)
    process.stdout.write(`${path}\n`)
  }
