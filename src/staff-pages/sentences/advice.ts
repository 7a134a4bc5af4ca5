import { html } from 'ghtml'
import { type Locale, locales } from '../../checkout/locale.ts'

/** What to say about a state of a payment, endpoint or delivery. `Facts` are already formatted for the language. */
export interface Sentences<Facts> extends Record<Language, (facts: Facts) => string> {
  /** Why it came to this, for support staff. */
  happened: (facts: Facts) => string
  /** What the service, support staff and the merchant do next. */
  next: (facts: Facts) => string
}

/** For the sentences said to the caller. They promise nothing that the service doesn't guarantee. */
type Language = Locale['code']

/** What to say to the caller. */
export type CallerText = Record<Language, string>

export type Advice = Record<keyof Sentences<unknown>, string>

/** The locale of the hosted pages, so that callers hear amounts and times as they see them there. */
const locale = (code: Language): Locale => locales.find((each) => each.code === code) as Locale

/** `factsIn` formats the facts for one language. */
export function adviceFrom<Facts>(
  { happened, next, en, fr, ar }: Sentences<Facts>,
  factsIn: (locale: Locale) => Facts,
): Advice {
  const facts = factsIn(locale('en'))
  const said = { en: en(facts), fr: fr(factsIn(locale('fr'))), ar: ar(factsIn(locale('ar'))) }
  return { happened: happened(facts), next: next(facts), ...said }
}

/** Shows support staff what to say to the person on the phone. */
export const adviceCard = (advice: Advice): string => card(facts(advice))

/** Like `adviceCard` for several subjects, each under its own heading. */
export const adviceCards = (all: Readonly<Record<string, Advice>>): string =>
  card(
    Object.entries(all)
      .map(([heading, advice]) => html`<h3>${heading}</h3>!${facts(advice)}`)
      .join(''),
  )

const card = (body: string): string =>
  html`<section class="card" aria-labelledby="caller">
    <h2 id="caller">What to tell the caller</h2>
    !${body}
  </section>`

const facts = ({ happened, next, en, fr, ar }: Advice): string =>
  html`<dl class="facts">
    <dt>What happened</dt><dd>${happened}</dd>
    <dt>What happens next</dt><dd>${next}</dd>
    <dt>In English</dt><dd lang="en"><q>${en}</q></dd>
    <dt>In French</dt><dd lang="fr"><q>${fr}</q></dd>
    <dt>In Arabic</dt><dd lang="ar" dir="rtl"><q>${ar}</q></dd>
  </dl>`
