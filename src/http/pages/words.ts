import { currencyCode } from '../../../schemas/currency.ts'

const english = {
  language: 'English',
  languages: 'Language',
  toContent: 'Skip to content',
  moment: (date: string, clock: string) => `${date} at ${clock}`,
  problem: 'There is a problem',
  wrong: (title: string) => `Error: ${title}`,
  print: 'Print the receipt',
  typedAmount: {
    label: `Amount in ouguiya (${currencyCode})`,
    hint: 'In new ouguiya, for example 500 or 1250.50.',
    missing: 'Enter an amount, for example 500 or 1250.50',
    unclear:
      'This amount can be read in two ways. Enter it without a thousands separator, for example 1500 or 1500.50',
    outOfRange: (least: string, most: string) => `The amount must be between ${least} and ${most}`,
  },
  left: {
    days: ['#\u00a0day', '#\u00a0days', '#\u00a0days', '#\u00a0days'],
    hours: ['#\u00a0h', '#\u00a0h', '#\u00a0h', '#\u00a0h'],
    minutes: ['#\u00a0min', '#\u00a0min', '#\u00a0min', '#\u00a0min'],
    and: ' ',
    soon: 'less than a minute',
  },
} as const

/** Forms of a noun after 1, 2, 3 to 10, and any other number. */
export type PluralForms = readonly [one: string, two: string, few: string, many: string]

export type ToolTexts = Texts<typeof english>

/** Texts of the same shape in another language. */
export type Texts<Part> = Part extends string
  ? string
  : Part extends (...values: infer Values) => infer Text
    ? (...values: Values) => Texts<Text>
    : { [Name in keyof Part]: Texts<Part[Name]> }

const french: ToolTexts = {
  language: 'Français',
  languages: 'Langue',
  toContent: 'Aller au contenu',
  // Intl writes "1 avril".
  moment: (date, clock) => `${date.replace(/^1 /, '1er ')} à ${clock}`,
  problem: 'À corriger',
  wrong: (title) => `Erreur\u00a0: ${title}`,
  print: 'Imprimer le reçu',
  typedAmount: {
    label: `Montant en ouguiyas (${currencyCode})`,
    hint: 'En nouvelles ouguiyas, par exemple 500 ou 1\u202f250,50.',
    missing: 'Saisissez un montant, par exemple 500 ou 1\u202f250,50',
    unclear:
      'Ce montant peut se lire de deux façons. Saisissez-le sans séparateur de milliers, par exemple 1500 ou 1500,50',
    outOfRange: (least, most) => `Le montant doit être compris entre ${least} et ${most}`,
  },
  left: {
    days: ['#\u00a0jour', '#\u00a0jours', '#\u00a0jours', '#\u00a0jours'],
    hours: ['#\u00a0h', '#\u00a0h', '#\u00a0h', '#\u00a0h'],
    minutes: ['#\u00a0min', '#\u00a0min', '#\u00a0min', '#\u00a0min'],
    and: ' ',
    soon: 'moins d’une minute',
  },
}

const arabic: ToolTexts = {
  language: 'العربية',
  languages: 'اللغة',
  toContent: 'انتقل إلى المحتوى',
  // Intl writes "2026 في 14:05".
  moment: (date, clock) => `${date} الساعة ${clock}`,
  problem: 'صحّح ما يلي',
  wrong: (title) => `خطأ: ${title}`,
  print: 'اطبع الإيصال',
  typedAmount: {
    label: `المبلغ بالأوقية الجديدة (${currencyCode})`,
    hint: 'مثلًا: 500 أو 1\u202f250,50.',
    missing: 'أدخل مبلغًا، مثلًا 500 أو 1\u202f250,50',
    unclear: 'يمكن قراءة هذا المبلغ بطريقتين. أدخله دون فاصل للآلاف، مثلًا 1500 أو 1500,50',
    outOfRange: (least, most) => `يجب أن يكون المبلغ بين ${least} و${most}`,
  },
  left: {
    days: ['يوم', 'يومان', '# أيام', '# يومًا'],
    hours: ['ساعة', 'ساعتان', '# ساعات', '# ساعة'],
    minutes: ['دقيقة', 'دقيقتان', '# دقائق', '# دقيقة'],
    and: ' و',
    soon: 'أقل من دقيقة',
  },
}

export const toolTexts = { fr: french, ar: arabic, en: english }
