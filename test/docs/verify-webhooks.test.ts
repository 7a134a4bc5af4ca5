import { signedHeaders } from '../../src/webhooks/message.ts'
import { type Vector, vectors } from '../vectors/vector.ts'
import { languages, verdictsOf } from './languages.ts'
import { textOf } from './pages.ts'
import { skipUnlessHere } from './program.ts'

describe('The set of webhook test vectors', () => {
  it('still contains all 92 requests that have been published', () => {
    expect(new Set(vectors.map(({ name }) => name)).size).to.equal(vectors.length)
    expect(vectors.length).to.be.at.least(92)
  })

  it("contains the service's own signatures, before and after a secret rotation", () => {
    const serviceSigns = (secrets: [string, ...string[]], { headers, body = '' }: Vector) => {
      const at = new Date(Number(headers['X-Service-Timestamp']) * 1000)
      return signedHeaders('Service', secrets, { _id: '', event: 'payment.created' }, body, at)
    }
    const isPlain = ({ valid, body, headers }: Vector) =>
      valid && body !== undefined && !/-(Previous|Id)\b/.test(Object.keys(headers).join())
    const plain = vectors.filter(isPlain)
    expect(plain.length).to.be.above(10)
    for (const vector of plain) {
      const { 'X-Service-Version': _, ...headers } = vector.headers
      expect(serviceSigns([vector.secret], vector), vector.name).to.include(headers)
    }
    const newest = 'd7e1a3905c8b42f6917e0dab35c6f8142b9d7e50a1c3f6842e9b0d7c5a8f1e36'
    const [newer, oldest] = ['second', 'oldest'].map(
      (which) =>
        vectors.find(({ name }) => name === `after two rotations, with the ${which} secret`) as Vector,
    ) as [Vector, Vector]
    expect(serviceSigns([newest, newer.secret, oldest.secret], oldest)).to.include(oldest.headers)
  })
})

describe('docs/merchants/webhooks.md', () => {
  it('uses the first test vector as its example of a valid request', () => {
    const [first] = vectors
    const shown = textOf('docs/merchants/webhooks.md').replaceAll(/(?<=[,:])\n(?=")/g, '')
    for (const part of [first?.secret, first?.body, ...Object.values(first?.headers ?? {})])
      expect(shown).to.include(part)
  })
})

describe('The verification of a package', () => {
  for (const language of languages)
    it(`returns the event id of every valid vector and rejects all others (${language.name})`, async function () {
      skipUnlessHere(this, language.name, [language.command, '--version'], 'clients/examples')
      const found = await verdictsOf(language, vectors)
      expect(found).to.have.length(vectors.length)
      const wrong = vectors.filter(({ eventId }, at) => found[at] !== String(eventId ?? null))
      expect(wrong.map(({ name }) => name)).to.deep.equal([])
    })
})
