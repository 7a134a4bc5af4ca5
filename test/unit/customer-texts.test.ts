import { failureStages } from '../../schemas/responses/webhooks.ts'
import { type Locale, locales } from '../../src/checkout/locale.ts'
import { type CallerAdvice, fillTemplate } from '../../src/staff-pages/sentences/advice.ts'
import { paymentFacts } from '../../src/staff-pages/sentences/payment-advice.ts'
import { paymentSentences } from '../../src/staff-pages/sentences/payment-sentences.ts'
import * as advice from '../../src/staff-pages/sentences/webhook-advice.ts'
import { newEndpointHealth } from '../../src/webhooks/endpoints/endpoint.ts'

const value = 'X'
const unpaid = { refunds: [], attempts: [], hold: null, payment: null, expiresAt: new Date() }
const unused = { url: value, deletedAt: null, health: newEndpointHealth }
const names = { _id: value, event: value, referenceNumber: value, url: value }
const fresh = { ...names, attemptLog: [], nextAttemptAt: null, deliveredAt: null }

function textsIn(part: unknown): string[] {
  if (typeof part === 'string') return [part]
  if (typeof part === 'function') return textsIn(part(...Array<string>(part.length).fill(value)))
  return Object.values(part as object).flatMap(textsIn)
}

/** Only the facts' names matter, because `fill` throws for an unknown one. */
const masked = (facts: object) => Object.fromEntries(Object.keys(facts).map((name) => [name, value]))

const textsOf = (code: Locale['code']): string[] => {
  const locale = locales.find((each) => each.code === code) as Locale
  const causes = failureStages.map((stage) => advice.describeCause(locale, { stage, status: null }))
  const sentences = [
    [paymentSentences, paymentFacts(locale, { ...unpaid, codeExpiresAt: new Date() } as never, null)],
    [advice.endpointSentences, advice.endpointFacts(locale, unused)],
    [advice.deadDeliverySentences, advice.endpointFacts(locale, unused)],
    ...Object.values(advice.deliverySentences).map(
      (table) => [table, advice.deliveryFacts(locale, fresh as never, undefined)] as const,
    ),
  ] as const
  const said = sentences.flatMap(([table, facts]) =>
    Object.values(table).flatMap((each: CallerAdvice) =>
      (code === 'en' ? [each.happened, each.next, each.en] : [each[code]]).map((text) =>
        fillTemplate(text, masked(facts)),
      ),
    ),
  )
  return [...textsIn(locale.words), ...said, ...causes]
}

describe('A text for customers or support callers', () => {
  it('has French no-break spaces: U+00A0 before a colon, U+202F before ; ? and !', () => {
    const french = textsOf('fr')
    expect(french).to.have.length.greaterThan(150)
    const wrong = /(?<!\u00a0):|(?<!\u202f)[;?!]|'/
    expect(french.filter((text) => wrong.test(text))).to.deep.equal([])
    for (const text of ['Quoi ?', 'Non\u00a0!', 'Code : 1', 'Code: 1', "l'heure"])
      expect(text).to.match(wrong)
  })

  it('uses imperatives and Arabic punctuation in Arabic', () => {
    const arabic = textsOf('ar')
    expect(arabic).to.have.length(textsOf('fr').length)
    expect(arabic.filter((text) => /يرجى|الرجاء|(?<!\d)[,;?]/.test(text))).to.deep.equal([])
  })

  it('is in Arabic script in Arabic, except for names', () => {
    const latin = textsOf('ar').flatMap((text) => text.match(/[a-z]{2,}/gi) ?? [])
    expect([...new Set(latin)].toSorted()).to.deep.equal(['API', 'HTTP', 'IP', 'MRU', 'TLS', 'webhook'])
  })
})
