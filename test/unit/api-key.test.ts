import { looksLikeApiKey, newApiKey } from '../../src/businesses/api-key.ts'

describe('An API key', () => {
  const kinds = [
    ['secret', 'test', 'sk_test_'],
    ['secret', 'live', 'sk_live_'],
    ['publishable', 'test', 'pk_test_'],
    ['publishable', 'live', 'pk_live_'],
  ] as const

  it('starts with a prefix for its kind and environment, followed by base62 characters', () => {
    for (const [kind, mode, prefix] of kinds) {
      const key = newApiKey(kind, mode)
      expect(key).to.match(new RegExp(`^${prefix}[0-9A-Za-z]{38}$`))
      expect(looksLikeApiKey(key)).to.equal(true)
    }
  })

  it('is recognised as mistyped if one character changes or two are swapped', () => {
    const key = newApiKey('secret', 'live')
    for (let at = 0; at < key.length; at += 1) {
      const changed = key.slice(0, at) + (key[at] === 'q' ? 'r' : 'q') + key.slice(at + 1)
      expect(looksLikeApiKey(changed), `at ${at}`).to.equal(false)
      const [one, two] = [key[at], key[at + 1]]
      if (two === undefined || one === two) continue
      expect(looksLikeApiKey(key.slice(0, at) + two + one + key.slice(at + 2)), `at ${at}`).to.equal(false)
    }
  })

  it('is recognised as mistyped if its length, kind or environment changes', () => {
    const key = newApiKey('secret', 'test')
    const otherLengths = [`${key}a`, key.slice(0, -1), ` ${key}`, `${key}\n`, '', 'sk_test_']
    for (const text of [...otherLengths, key.replace('test', 'live'), key.replace('sk', 'pk')])
      expect(looksLikeApiKey(text), text).to.equal(false)
  })
})
