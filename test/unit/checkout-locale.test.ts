import { locales } from '../../src/checkout/locale.ts'

describe('The time left for a payment', () => {
  const minute = 60_000
  const said: [minutes: number, fr: string, ar: string, en: string][] = [
    [0, 'moins d’une minute', 'أقل من دقيقة', 'less than a minute'],
    [61, '1 h 1 min', 'ساعة ودقيقة', '1 h 1 min'],
    [47 * 60 + 59, '47 h 59 min', '47 ساعة و59 دقيقة', '47 h 59 min'],
    [48 * 60, '2 jours', 'يومان', '2 days'],
    [75 * 60 + 59, '3 jours 3 h', '3 أيام و3 ساعات', '3 days 3 h'],
    [365 * 24 * 60, '365 jours', '365 يومًا', '365 days'],
  ]
  for (const [minutes, ...words] of said)
    it(`is shown as “${words[2]}” in English, and as its equivalent in other languages, if it is ${minutes} minutes`, () => {
      const left = locales.map((locale) => locale.left(minutes * minute).replaceAll('\u00a0', ' '))
      expect(left).to.deep.equal(words)
    })
})

describe('A date and time on hosted pages', () => {
  it('is in Mauritanian time, in the usual format of each language', () => {
    const shown = (at: string) => locales.map(({ moment }) => moment(new Date(at)))
    const august = ['14 août 2026 à 14:05', '14 أغشت 2026 الساعة 14:05', '14 August 2026 at 14:05']
    expect(shown('2026-08-14T14:05:00Z')).to.deep.equal(august)
    const april = ['1er avril 2026 à 00:00', '1 إبريل 2026 الساعة 00:00', '1 April 2026 at 00:00']
    expect(shown('2026-04-01T00:00:00Z')).to.deep.equal(april)
    expect(shown('2026-12-11T09:30:00Z')[0]).to.equal('11 décembre 2026 à 09:30')
  })
})
