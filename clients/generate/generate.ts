// `npm run client`: writes the generated files of clients/, and names each one it changed.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'
import { type Document, type Operation, openapi, operations } from '../../dev/openapi-document.ts'
import { preview, release } from '../release/release.ts'
import numbered from '../version.json' with { type: 'json' }
import { generateCollection } from './collection.ts'
import { sentParameters } from './endpoints.ts'
import { phpFiles } from './php.ts'
import { pythonFiles } from './python.ts'

const root = join(import.meta.dirname, '../..')
const clientFile = 'clients/typescript/payments.ts'
/** The client's generated part. The hand-written rest stays as it is. */
const block =
  /(?<=^\/\/ Generated from the OpenAPI document:\n)[\s\S]*(?=^\/\/ End of the generated part\.\n)/m

export async function generateClients(): Promise<Record<string, string>> {
  const texts = {
    [clientFile]: await generateClient(),
    'clients/payments.postman_collection.json': generateCollection(),
  }
  const formatted = Object.entries(texts).map(([path, text]) => [path, format(path, text)])
  return { ...Object.fromEntries(formatted), ...pythonFiles(), ...phpFiles() }
}

function format(path: string, text: string): string {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const options = { cwd: root, input: text, encoding: 'utf8', maxBuffer: 2 ** 24 } as const
  return execFileSync(process.execPath, [biome, 'format', `--stdin-file-path=${path}`], options)
}

async function generateClient(): Promise<string> {
  const options = { rootTypes: true, rootTypesNoSchemaPrefix: true, alphabetize: false }
  const nodes = await openapiTS(JSON.stringify(slim(openapi)), options)
  // The client needs neither the interfaces `paths` and `webhooks` nor `$defs`, which is empty.
  const needed = nodes.filter((node) => {
    const { name } = node as { name?: { text: string } }
    return !['paths', 'webhooks', '$defs'].includes(name?.text ?? '')
  })
  const codes = Object.keys(openapi.components.examples).map((code) => `'${code}'`)
  const generated = [
    astToString(needed),
    eventsOf(openapi),
    `/** Every error code of the service. */\nexport type ErrorCode = ${codes.join(' | ')}`,
    `/** A method for each operation of the API, under its \`operationId\`. */\nexport interface Operations {\n${operations.map(signatureOf).join('\n')}\n}`,
    `/** The operations that return a page of a list. */\nexport type ListId = ${lists.map(({ operationId }) => `'${operationId}'`).join(' | ')}`,
    `/** The method and path of every operation. */\nconst table = {\n${operations.map(rowOf).join('\n')}\n} as const`,
  ].join('\n\n')
  const before = readFileSync(join(root, clientFile), 'utf8')
  if (!block.test(before)) throw new Error(`${clientFile} does not mark its generated part`)
  const versioned = before.replace(/(?<=export const version = ')[^']+/, numbered.version)
  return versioned.replace(block, () => `\n${withoutNoise(generated)}\n\n`)
}

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

const withoutNoise = (text: string): string =>
  text
    .replaceAll(/^ *\/\*\* @(constant|enum \{\w+\}) \*\/\n/gm, '')
    .replaceAll(/^ *\* @(constant|enum \{\w+\})\n/gm, '')
    .replaceAll('@description ', '')

/** These keywords don't change a type. */
const ignored = ['example', 'examples', 'format', 'pattern', 'x-error-codes', 'default']

/** Leaves out what needs no type in the client: headers, examples, webhooks, and errors, which all have one shape. */
const slim = ({ paths, components, ...rest }: Pick<Document, 'paths' | 'components'>): object => ({
  ...rest,
  webhooks: undefined,
  paths: mapValues(paths, (methods) => mapValues(methods, slimOperation)),
  components: { schemas: mapValues(components.schemas, withoutIgnored) },
})

const slimOperation = (operation: Operation): object => ({
  operationId: operation.operationId,
  parameters: sentParameters(operation)
    .filter(({ $ref }) => $ref === undefined)
    .map(withoutIgnored),
  ...(operation.requestBody && { requestBody: slimContent(operation.requestBody) }),
  responses: mapValues(
    Object.fromEntries(Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))),
    slimContent,
  ),
})

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
      // Under `properties`, the words are field names.
      .map(([word, each]) => [
        word,
        word === 'properties' ? mapValues(each as object, withoutIgnored) : withoutIgnored(each),
      ]),
  )
}

const mapValues = <T>(values: Record<string, T> | object, change: (value: T) => unknown): object =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value as T)]))

function rowOf({ method, path, ...operation }: (typeof operations)[number]): string {
  const { operationId, requestBody, responses } = operation
  const query = queryOf(operation).map(({ name }) => name)
  const row = {
    method,
    path,
    ...(method !== 'GET' && query.length > 0 ? { query } : {}),
    ...(requestBody === undefined ? {} : { hasBody: true }),
    ...(responses['200'] && !responses['200'].content?.['application/json'] ? { isFile: true } : {}),
  }
  // The client takes all fields of an operation in one object, so their names must differ.
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const all = [...inPath, ...query, ...Object.keys(schemaOf(requestBody)?.properties ?? {})]
  if (new Set(all).size < all.length) throw new Error(`${operationId} has two fields with the same name`)
  return `${operationId}: ${JSON.stringify(row)},`
}

const queryOf = (operation: Operation) =>
  sentParameters(operation).filter((each) => each.in === 'query' && each.name)

const lists = operations.filter((operation) => queryOf(operation).some(({ name }) => name === 'page'))

/** Written out, because conditional types give other results without `strictNullChecks`. */
function signatureOf({ path, ...operation }: (typeof operations)[number]): string {
  const { operationId, summary, description, requestBody, responses } = operation
  const own = `operations['${operationId}']`
  const query = queryOf(operation)
  const body = schemaOf(requestBody)
  const inputs = [
    path.includes('{') ? `${own}['parameters']['path']` : [],
    query.length > 0 ? `NonNullable<${own}['parameters']['query']>` : [],
    body ? `NonNullable<${own}['requestBody']>['content']['application/json']` : [],
  ].flat()
  const isRequired =
    path.includes('{') || query.some(({ required }) => required) || (body?.required ?? []).length > 0
  const status = Object.keys(responses).find((each) => each.startsWith('2'))
  const isFile = !schemaOf(responses[status ?? ''])
  const result = isFile ? 'Response' : `${own}['responses'][${status}]['content']['application/json']['data']`
  const input = inputs.join(' & ') || 'Record<string, never>'
  const lines = `${summary}.\n\n${description}`.split('\n').map((line) => ` * ${line}`.trimEnd())
  const comment = `/**\n${lines.join('\n')}\n */`
  return `${comment}\n${operationId}(input${isRequired ? '' : '?'}: ${input}, options?: CallOptions): Promise<${result}>`
}

interface Body {
  $ref?: string
  required?: string[]
  properties?: object
}

function schemaOf(message?: { content?: Record<string, object> }): Body | undefined {
  const { schema } = (message?.content?.['application/json'] ?? {}) as { schema?: Body }
  const name = schema?.$ref?.replace(/.*\//, '')
  return name === undefined ? schema : openapi.components.schemas[name]
}

if (import.meta.filename === process.argv[1]) {
  for (const [path, text] of Object.entries(await generateClients())) {
    const file = join(root, path)
    if (readFileSync(file, 'utf8') === text) continue
    writeFileSync(file, text)
    process.stdout.write(`${path}\n`)
  }
  if (process.argv.includes('--release')) await release()
  if (process.argv.includes('--preview')) await preview()
}
