import { keysIn } from '../../businesses/api-key.ts'
import { type KeyFacts, lookUpKey } from '../../businesses/key-facts.ts'
import { listKeys } from '../../businesses/list-keys.ts'
import { recogniseKey } from '../../businesses/recognise-key.ts'
import { isId } from '../../security/ids.ts'
import { keyPath } from '../pages/paths.ts'
import type { Finder, Hit } from './finders.ts'

/** A key as pages show it, such as `sk_live_…rwQB`, or only the last four characters of its secret. */
const shortForm = /^(?:([sp]k_(?:test|live)_)\W*)?([0-9A-Za-z]{4})$/
/** The maximum number of keys found by their last four characters. Few keys share them. */
const maxKeys = 20

const keyHits = (keys: readonly KeyFacts[]): Hit[] =>
  keys.map(({ id, key }) => ({ path: keyPath(id), name: key, intent: null }))

/** Returns the only key in clear text that the query contains. */
function readKey(query: string): string | null {
  const [key, ...others] = keysIn(query)
  return key === undefined || others.length > 0 || shortForm.test(query) ? null : key
}

/** The finders for API keys, by a key in clear text, by its short form and by its id. */
export const keyFinders: readonly Finder[] = [
  {
    kind: 'API key',
    read: readKey,
    async find(deps, input) {
      const key = await recogniseKey(deps, input)
      return key === null || key === 'mistyped' ? [] : keyHits([key])
    },
    shown: (input) => `${input.slice(0, 'sk_live_'.length)}…${input.slice(-4)}`,
  },
  {
    kind: 'last characters of the API key',
    read: (query) => (shortForm.test(query) ? query : null),
    async find(deps, input) {
      const [, prefix, last4] = shortForm.exec(input) ?? []
      const { items } = await listKeys(deps, { last4: last4 ?? '' }, { limit: maxKeys, after: null })
      return keyHits(items.filter(({ key }) => prefix === undefined || key.startsWith(prefix)))
    },
  },
  {
    kind: 'key id',
    read: (query) => (isId(query.toLowerCase()) ? query.toLowerCase() : null),
    async find(deps, input) {
      const key = await lookUpKey(deps, input)
      return key === null ? [] : keyHits([key])
    },
  },
]
