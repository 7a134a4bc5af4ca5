import { text as readAll } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { KeyFacts } from '../../businesses/key-facts.ts'
import type { RecognisedKey } from '../../businesses/recognise-key.ts'
import type { IdPage } from '../../mongo/id-page.ts'
import { act, Failed } from './act.ts'
import { pageText } from './list.ts'
import type { AdminDeps } from './run.ts'
import { keyColumns, keyText } from './show-keys.ts'
import type { Column } from './table.ts'

const findHelp = `
Reads a whole key from standard input, never from an argument. The input may contain
other text, such as a line from a log. The command never prints the key.
"matched" is the secret that was found: current, overlap (an earlier secret that
still works) or ended (an earlier secret that no longer works).
The exit code is 1 if no key is found.

Examples:
  admin key find < file
  admin key find --last4 7fQx`

/** Adds the command `key find`. */
export function addKeyFind(key: Command): void {
  key
    .command('find')
    .description('find the key to which a secret belongs')
    .option('--last4 <characters>', 'find keys by the last four characters of a current or earlier secret')
    .addHelpText('after', findHelp)
    .action(act(find, (result) => ('items' in result ? pageText(matchColumns, result) : keyText(result))))
}

type Match = KeyFacts & Pick<RecognisedKey, 'matched'>

async function find(deps: AdminDeps, { last4 }: { last4?: string }): Promise<RecognisedKey | IdPage<Match>> {
  if (last4 !== undefined) return findByLast4(deps, last4)
  const { recogniseKey, whyNoKey } = await import('../../businesses/recognise-key.ts')
  const recognised = await recogniseKey(deps, await keyIn(await readInput()))
  if (recognised === 'mistyped') throw new Failed(whyNoKey.mistyped)
  if (recognised === null) throw new Failed(whyNoKey.unknown)
  return recognised
}

/** The maximum number of keys that are listed. Few keys share one of the 14 million combinations of four characters. */
const maxMatches = 500

async function findByLast4(deps: AdminDeps, last4: string): Promise<IdPage<Match>> {
  if (!/^[0-9A-Za-z]{4}$/.test(last4))
    throw new Failed('--last4 takes the last four characters of a key: letters and digits.')
  const { listKeys } = await import('../../businesses/list-keys.ts')
  const { items, next } = await listKeys(deps, { last4 }, { limit: maxMatches, after: null })
  if (items.length === 0) throw new Failed('No key has a secret with these last four characters.')
  const matched = ({ secrets }: KeyFacts) => secrets.find((secret) => secret.last4 === last4)?.state ?? 'ended'
  return { items: items.map((facts) => ({ ...facts, matched: matched(facts) })), next }
}

const matchColumns: Column<Match>[] = [
  ...keyColumns.filter(({ title }) => title !== 'CREATED'),
  { title: 'MATCHED', cell: ({ matched }) => matched },
]

async function readInput(): Promise<string> {
  if (process.stdin.isTTY)
    process.stderr.write('Paste the key or the line that contains it, then press Enter and Ctrl-D.\n')
  return readAll(process.stdin)
}

/** Returns the only key in a text. Throws Failed if there is none, or more than one. */
async function keyIn(text: string): Promise<string> {
  const { keysIn } = await import('../../businesses/api-key.ts')
  const keys = keysIn(text)
  const [key] = keys
  if (key === undefined)
    throw new Failed('Standard input contains no API key. Keys begin with sk_test_, sk_live_, pk_test_ or pk_live_.')
  if (keys.length > 1) throw new Failed(`Standard input contains ${keys.length} keys. Pass one at a time.`)
  return key
}
