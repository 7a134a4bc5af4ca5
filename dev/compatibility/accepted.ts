import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openapi } from '../openapi-document.ts'
import { breakingChanges, type Description } from './breaking-changes.ts'

/** The description of the API that was accepted last. */
const file = 'docs/openapi.json'
const digestLine = /^The API is described by `docs\/openapi\.json`, SHA-256 `([0-9a-f]{64})`$/m
const breakingHeading = '### Breaking changes\n\n'

const howToAccept = 'Run `npm run api:accept`.'
const howToBreak =
  'These changes break programs that use the API. If they are intended, run `npm run api:accept -- "…"` with a sentence for CHANGELOG.md that says what merchants must do.'
const howToRestore = `${file} and CHANGELOG.md do not match. Restore both files. ${howToAccept}`

const asText = (description: object): string => `${JSON.stringify(description, null, 2)}\n`
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * Returns lines that say what is wrong with the accepted description in the folder `root`, or with the newest entry of
 * its changelog. Returns no lines if both fit the `current` description.
 */
export function problemsIn(root: string, current: object = openapi): string[] {
  const { text, entry } = read(root)
  const breaking = changesSince(text, current)
  if (breaking.length > 0) return [...breaking, howToBreak]
  if (text !== asText(current)) return [`${file} does not describe the service as it is. ${howToAccept}`]
  return digestLine.exec(entry)?.[1] === digestOf(text) ? [] : [howToRestore]
}

/**
 * Makes the current description the accepted one, and puts its digest into the newest entry of CHANGELOG.md. A breaking
 * change needs a `note`, which becomes a line of that entry. If something is wrong, changes nothing and returns lines
 * that say what.
 */
export function accept(root: string, note: string, current: object = openapi): string[] {
  const { text, before, entry, after } = read(root)
  const breaking = changesSince(text, current)
  if (breaking.length > 0 && note === '') return [...breaking, howToBreak]
  // The newest digest may stand in the entry of the version before.
  if (text !== '' && digestLine.exec(entry + after)?.[1] !== digestOf(text)) return [howToRestore]
  const accepted = asText(current)
  writeFileSync(join(root, file), accepted)
  writeFileSync(join(root, 'CHANGELOG.md'), before + withNote(withDigest(entry, digestOf(accepted)), note) + after)
  return []
}

function withDigest(entry: string, digest: string): string {
  const line = `The API is described by \`${file}\`, SHA-256 \`${digest}\``
  return digestLine.test(entry) ? entry.replace(digestLine, line) : entry.replace('\n\n', `\n\n${line}\n\n`)
}

function withNote(entry: string, note: string): string {
  if (note === '') return entry
  const withHeading = entry.includes(breakingHeading) ? entry : entry.replace(/^(?=### )/m, `${breakingHeading}\n`)
  return withHeading.replace(breakingHeading, () => `${breakingHeading}- ${note}\n`)
}

const changesSince = (text: string, current: object): string[] =>
  text === '' ? [] : breakingChanges(JSON.parse(text) as Description, current as Description)

interface Files {
  /** The accepted description, or an empty text if there is none. */
  text: string
  /** The changelog before the entry of the newest version, this entry, and the rest. */
  before: string
  entry: string
  after: string
}

function read(root: string): Files {
  const path = join(root, file)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const [before = '', entry = '', ...older] = changelog.split(/^(?=## )/m)
  return { text, before, entry, after: older.join('') }
}
