import { html } from 'ghtml'
import { type Locale, locales } from '../../checkout/locale.ts'

/** What staff can say to a caller. It promises only what we guarantee. */
export type CallerText = Record<Locale['code'], string>

export const byLanguage = (en: string, fr: string, ar: string): CallerText => ({ en, fr, ar })

/** `{name}` stands for a value, such as an amount. */
export type CallerAdvice = CallerText & Record<'happened' | 'next', string>

export const createAdvice = (happened: string, next: string, en: string, fr: string, ar: string) => ({
  ...byLanguage(en, fr, ar),
  happened,
  next,
})

export const fillTemplate = (text: string, facts: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const fact = facts[name]
    if (fact === undefined) throw new Error(`no fact ${name}`)
    return fact
  })

/** Callers hear amounts and times as the checkout pages show them. */
const locale = (code: Locale['code']): Locale => locales.find((each) => each.code === code) as Locale

export function fillAdvice(
  { happened, next, en, fr, ar }: CallerAdvice,
  factsIn: (locale: Locale) => Readonly<Record<string, string>>,
): CallerAdvice {
  const say = (code: Locale['code'], text: string) => fillTemplate(text, factsIn(locale(code)))
  return createAdvice(say('en', happened), say('en', next), say('en', en), say('fr', fr), say('ar', ar))
}

export const adviceCard = (advice: CallerAdvice): string => card(facts(advice))

export const renderAdviceCards = (all: Readonly<Record<string, CallerAdvice>>): string =>
  card(
    Object.entries(all)
      .map(([heading, advice]) => html`<h3>${heading}</h3>!${facts(advice)}`)
      .join(''),
  )

const card = (body: string) =>
  html`<section class="card" aria-labelledby="caller">
    <h2 id="caller">What to tell the caller</h2>
    !${body}
  </section>`

const facts = ({ happened, next, en, fr, ar }: CallerAdvice) =>
  html`<dl class="facts">
    <dt>What happened</dt><dd>${happened}</dd>
    <dt>What happens next</dt><dd>${next}</dd>
    <dt>In English</dt><dd lang="en"><q>${en}</q></dd>
    <dt>In French</dt><dd lang="fr"><q>${fr}</q></dd>
    <dt>In Arabic</dt><dd lang="ar" dir="rtl"><q>${ar}</q></dd>
  </dl>`
