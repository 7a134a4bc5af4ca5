import { expect } from 'chai'
import { failureStages } from '../../schemas/responses/webhooks.ts'
import { type Locale, locales } from '../../src/checkout/locale.ts'
import { deliverySentences } from '../../src/staff-pages/sentences/delivery-advice.ts'
import { causeOf, deadSentences, endpointSentences } from '../../src/staff-pages/sentences/endpoint-advice.ts'
import { paymentSentences } from '../../src/staff-pages/sentences/payment-sentences.ts'

/** Stands for every value in a text. */
const value = 'X'
const facts = new Proxy({}, { get: () => value })

/** A function is a text with values. */
function textsIn(part: unknown): string[] {
  if (typeof part === 'string') return [part]
  if (typeof part === 'function') return textsIn(part(...Array<string>(part.length).fill(value)))
  return Object.values(part as object).flatMap(textsIn)
}

type Said = Record<Locale['code'], (facts: object) => string>

const sentencesIn = (code: Locale['code']): string[] =>
  [paymentSentences, endpointSentences, deadSentences, ...Object.values(deliverySentences)].flatMap((table) =>
    Object.values(table).map((sentences) => (sentences as Said)[code](facts)),
  )

const textsOf = (code: Locale['code']): string[] => {
  const locale = locales.find((each) => each.code === code) as Locale
  const causes = failureStages.map((stage) => causeOf(locale, { stage, status: null }))
  return [...textsIn(locale.words), ...sentencesIn(code), ...causes]
}

describe("The customers' and support callers' texts", () => {
  it('have French no-break spaces: U+00A0 before a colon, U+202F before ; ? and !', () => {
    const french = textsOf('fr')
    expect(french).to.have.length.greaterThan(150)
    const wrong = /(?<!\u00a0):|(?<!\u202f)[;?!]|'/
    expect(french.filter((text) => wrong.test(text))).to.deep.equal([])
    for (const text of ['Quoi ?', 'Non\u00a0!', 'Code : 1', 'Code: 1', "l'heure"])
      expect(text).to.match(wrong)
  })

  it('use imperatives and Arabic punctuation in Arabic', () => {
    const arabic = textsOf('ar')
    expect(arabic).to.have.length(textsOf('fr').length)
    expect(arabic.filter((text) => /يرجى|الرجاء|(?<!\d)[,;?]/.test(text))).to.deep.equal([])
  })

  it('are in Arabic script in Arabic, except for names', () => {
    const latin = textsOf('ar').flatMap((text) => text.match(/[a-z]{2,}/gi) ?? [])
    expect([...new Set(latin)].toSorted()).to.deep.equal(['API', 'HTTP', 'IP', 'MRU', 'TLS', 'webhook'])
  })
})
