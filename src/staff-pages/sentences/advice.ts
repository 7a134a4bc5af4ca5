import { html } from 'ghtml'
import { type Locale, locales } from '../../checkout/locale.ts'

/** The words for one state of a payment, an endpoint or a delivery. `Facts` are already formatted for the language. */
export interface Sentences<Facts> extends Record<Language, (facts: Facts) => string> {
  /** The cause of the state, for support staff. */
  happened: (facts: Facts) => string
  /** The next steps of the service, of support staff and of the merchant. */
  next: (facts: Facts) => string
}

/** The language of a sentence to say to the caller. It promises nothing that the service does not guarantee. */
type Language = Locale['code']

/** A text for the caller in each language. */
export type Said = Record<Language, string>

/** The text of a card. */
export type Advice = Record<keyof Sentences<unknown>, string>

/** Returns the locale of the hosted pages, so that callers hear amounts and times as they see them there. */
const locale = (code: Language): Locale => locales.find((each) => each.code === code) as Locale

/** Returns the sentences with their facts. `factsIn` formats the facts for one language. */
export function adviceFrom<Facts>(
  { happened, next, en, fr, ar }: Sentences<Facts>,
  factsIn: (locale: Locale) => Facts,
): Advice {
  const facts = factsIn(locale('en'))
  const said = { en: en(facts), fr: fr(factsIn(locale('fr'))), ar: ar(factsIn(locale('ar'))) }
  return { happened: happened(facts), next: next(facts), ...said }
}

/** Returns the card that shows support staff what to say to the person on the phone. */
export const adviceCard = (advice: Advice): string => card(facts(advice))

/** Like `adviceCard`, but with the words about several subjects, each under its own heading. */
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
