// `npm run api:check`: fails if the API has changed since its description was accepted. `npm run lint` includes it.
// With --accept, as in `npm run api:accept -- "a sentence for CHANGELOG.md"`, it accepts the current description.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiDiff, type Diff } from 'api-smart-diff'
import { openapi } from './openapi-document.ts'

const file = 'docs/openapi.json'
const digestLine = /^The API is described by `docs\/openapi\.json`, SHA-256 `([0-9a-f]{64})`$/m
const breakingHeading = '### Breaking changes\n\n'

const howToAccept = 'Run `npm run api:accept`.'
const howToBreak =
  'These changes break programs that use the API. If they are intended, run `npm run api:accept -- "…"` with a sentence for CHANGELOG.md that says what merchants must do.'
const howToRestore = `${file} and CHANGELOG.md do not match. Restore both files. ${howToAccept}`

const asText = (description: object): string => `${JSON.stringify(description, null, 2)}\n`
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Returns lines that say how the accepted description or the changelog's newest entry differs. */
export function problemsIn(root: string, current: object = openapi): string[] {
  const { text, entry } = read(root)
  const breaking = changesSince(text, current)
  if (breaking.length > 0) return [...breaking, howToBreak]
  if (text !== asText(current)) return [`${file} does not describe the service as it is. ${howToAccept}`]
  return digestLine.exec(entry)?.[1] === digestOf(text) ? [] : [howToRestore]
}

/** A breaking change needs a `note` for CHANGELOG.md. If something is wrong, only returns lines that say what. */
export function accept(root: string, note: string, current: object = openapi): string[] {
  const { text, before, entry, after } = read(root)
  const breaking = changesSince(text, current)
  if (breaking.length > 0 && note === '') return [...breaking, howToBreak]
  // The newest digest may be in the entry of the version before.
  if (text !== '' && digestLine.exec(entry + after)?.[1] !== digestOf(text)) return [howToRestore]
  const accepted = asText(current)
  writeFileSync(join(root, file), accepted)
  const changed = withNote(withDigest(entry, digestOf(accepted)), note)
  writeFileSync(join(root, 'CHANGELOG.md'), before + changed + after)
  return []
}

function withDigest(entry: string, digest: string): string {
  const line = `The API is described by \`${file}\`, SHA-256 \`${digest}\``
  return digestLine.test(entry) ? entry.replace(digestLine, line) : entry.replace('\n\n', `\n\n${line}\n\n`)
}

function withNote(entry: string, note: string): string {
  if (note === '') return entry
  const heading = entry.includes(breakingHeading) ? '' : `${breakingHeading}\n`
  const withHeading = entry.replace(/^(?=### )/m, heading)
  return withHeading.replace(breakingHeading, () => `${breakingHeading}- ${note}\n`)
}

const changesSince = (text: string, current: object): string[] =>
  text === '' ? [] : breakingChanges(JSON.parse(text) as Description, current as Description)

function read(root: string) {
  const path = join(root, file)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const [before = '', entry = '', ...older] = changelog.split(/^(?=## )/m)
  return { text, before, entry, after: older.join('') }
}

/** What is compared of an OpenAPI document. References are resolved, so a changed schema shows at each use. */
export interface Description {
  openapi: string
  paths: Record<string, Record<string, object>>
  components: object
  webhooks: Record<
    string,
    { post: { parameters: readonly { name: string }[]; requestBody: { content: object } } }
  >
}

export function breakingChanges(before: Description, after: Description): string[] {
  // The comparison modifies its arguments.
  const changes = apiDiff(structuredClone(comparable(before)), structuredClone(comparable(after)))
  return [...new Set(changes.filter(isBreaking).map(inWords))]
}

/** The comparison doesn't know webhooks, so each becomes an operation whose response has its headers and body. */
const comparable = ({ paths, webhooks, components, ...rest }: Description): object => ({
  openapi: rest.openapi,
  info: { title: '', version: '' },
  paths: {
    ...paths,
    ...Object.fromEntries(
      Object.entries(webhooks).map(([event, { post }]) => [`${webhook}${event}`, { get: sent(post) }]),
    ),
  },
  components,
})

const webhook = '/webhook '

const sent = ({ parameters, requestBody }: Description['webhooks'][string]['post']): object => ({
  responses: {
    200: {
      headers: Object.fromEntries(parameters.map((header) => [header.name, header])),
      content: requestBody.content,
    },
  },
})

function isBreaking({ type, action, path, before, after }: Diff): boolean {
  const [root, , , part] = path
  const [group, key] = path.slice(-2)
  if (root !== 'paths') return false
  const isSent = part === 'responses'
  // Merchants must expect new values, such as new events' names, and therefore longer lists of values.
  if (isSent && ((action === 'add' && group === 'enum') || key === 'maxItems')) return false
  // A response's examples name its error codes.
  if (group === 'examples') return action === 'remove'
  if (path.some((each) => each === 'example' || String(each).startsWith('x-'))) return false
  if (key === 'type') return isSent ? !isWithin(after, before) : !isWithin(before, after)
  if (isSent && key === 'const') return true
  if (part === 'requestBody' && key === 'additionalProperties') return after === false
  // The service ignores most unknown fields of a body, so a removed field would be ignored without an error.
  if (part === 'requestBody' && group === 'properties' && action === 'remove') return true
  return type === 'breaking' || type === 'unclassified'
}

const isWithin = (types: string | string[], wider: string | string[]): boolean =>
  [types].flat().every((type) => [wider].flat().includes(type))

/** These parts of a path don't say where a change is. */
const frames = new Set(['content', 'application/json', 'schema', 'properties'])

function inWords({ path, description = '', action }: Diff): string {
  const [, url = '', method = '', ...rest] = path.map(String)
  // The comparison describes a schema only where it occurs first, and leaves out words elsewhere.
  const isWhole = /^\[\w+\] [^ ]/.test(description)
  const what = isWhole ? description : `[${action}] ${rest.filter((part) => !frames.has(part)).join('.')}`
  if (!url.startsWith(webhook)) return `${method.toUpperCase()} ${url}: ${what}`
  return `${url.slice(1)}: ${what.replace(/ in Response 200.*|responses\.200\.|GET \/webhook /, '')}`
}

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, '..')
  const [option, note = ''] = process.argv.slice(2)
  const problems = option === '--accept' ? accept(root, note) : problemsIn(root)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}
