import { currencyCode } from '../../../schemas/currency.ts'
import type { Words } from './words.ts'

const nothingTaken = 'Rien n’a été débité.'

export const french: Words = {
  language: 'Français',
  languages: 'Langue',
  toContent: 'Aller au contenu',
  test: 'Test : aucun argent réel ne circule.',
  problem: 'Il y a un problème',
  wrong: (title) => `Erreur : ${title}`,
  pay: {
    title: (amount) => `Payer ${amount}`,
    expiresToday: (clock, left) => `À payer avant ${clock} : il reste ${left}.`,
    expires: (moment, left) => `À payer avant le ${moment} : il reste ${left}.`,
    phone: 'Numéro de téléphone',
    phoneHint: 'Celui de votre portefeuille mobile.',
    pin: 'Code PIN',
    pinHint: 'De 4 à 6 chiffres. Ne le donnez à personne.',
    button: (amount) => `Payer ${amount}`,
    busy: 'Paiement en cours…',
    changeAmount: 'Modifier le montant',
    leave: 'Revenir au site du commerçant sans payer',
  },
  amount: {
    title: 'Quel montant voulez-vous payer ?',
    label: `Montant en ${currencyCode}`,
    hint: 'Par exemple 500 ou 1\u202f250,50.',
    button: 'Continuer',
  },
  code: {
    title: 'Payer avec un code',
    label: 'Code de paiement',
    hint: 'Les 6 chiffres que le commerçant vous donne.',
    button: 'Continuer',
    unknown: 'Ce code n’est pas valable. Vérifiez-le avec le commerçant.',
  },
  qr: {
    title: (amount) => `Scannez pour payer ${amount}`,
    titleOpen: 'Scannez pour payer',
    image: 'Code QR de la page de paiement',
    code: (address) => `Ou ouvrez ${address} et saisissez ce code :`,
    download: (format) => `Télécharger en ${format}`,
  },
  faults: {
    phone: 'Saisissez votre numéro de téléphone, par exemple 22 34 56 78',
    pin: 'Saisissez votre code PIN : de 4 à 6 chiffres',
    pinDoesNotFit: 'Le numéro de téléphone et le code PIN ne correspondent pas',
    amount: 'Saisissez un montant, par exemple 500 ou 1\u202f250,50',
    amountUnclear:
      'Ce montant peut se lire de deux façons. Saisissez-le sans séparateur de milliers, par exemple 1500 ou 1500,50',
    amountRange: (least, most) => `Le montant doit être compris entre ${least} et ${most}`,
    code: 'Saisissez les 6 chiffres du code',
  },
  notices: {
    wallet_locked: `Ce portefeuille est bloqué après plusieurs codes PIN erronés. ${nothingTaken} Réessayez plus tard, ou payez avec un autre portefeuille.`,
    insufficient_funds: `Le solde de ce portefeuille ne suffit pas. ${nothingTaken} Réessayez, ou payez avec un autre portefeuille.`,
    limit_exceeded: `Ce montant dépasse la limite de ce portefeuille. ${nothingTaken} Réessayez plus tard, ou payez avec un autre portefeuille.`,
    declined: `Le portefeuille a refusé ce paiement. ${nothingTaken} Réessayez plus tard, ou payez avec un autre portefeuille.`,
    notExecuted: `Le paiement n’a pas pu commencer. ${nothingTaken} Réessayez.`,
    formTooOld: `Cette page n’est plus à jour. ${nothingTaken} Saisissez à nouveau votre code PIN.`,
  },
  panels: {
    waiting: [
      'Paiement en cours',
      'Nous attendons la réponse du portefeuille. Ne payez pas une deuxième fois : cette page s’actualise d’elle-même.',
    ],
    paid: 'Paiement réussi',
    paidBefore: ['Ce paiement a déjà été effectué', 'Rien n’a été débité pour cette tentative.'],
    refunded: 'Paiement remboursé',
    refundedInPart: 'Paiement remboursé en partie',
    cancelled: ['Paiement annulé', `Cette demande de paiement a été annulée. ${nothingTaken}`],
    expired: ['Délai dépassé', `${nothingTaken} Demandez au commerçant une nouvelle demande de paiement.`],
    failed: [
      'Le paiement a échoué',
      `${nothingTaken} Demandez au commerçant une nouvelle demande de paiement.`,
    ],
    unavailable: ['Paiement impossible pour le moment', `${nothingTaken} Réessayez un peu plus tard.`],
  },
  facts: {
    amount: 'Montant',
    refunded: 'Remboursé',
    merchant: 'Commerçant',
    label: 'Motif',
    paidAt: 'Date',
    reference: 'Référence',
  },
  back: {
    link: 'Revenir au site du commerçant',
    leaving: 'Vous serez redirigé vers le site du commerçant dans 5 secondes.',
    stay: 'Rester ici',
  },
  notes: {
    notFound: ['Page introuvable', 'Il n’y a rien à payer à cette adresse. Vérifiez le lien.'],
    foreign: ['Demande refusée', `Ce formulaire ne vient pas de notre page. ${nothingTaken}`],
    tooLarge: ['Formulaire trop long', `Ce formulaire est plus long que les nôtres. ${nothingTaken}`],
    tooMany: (left) => ['Trop de tentatives', `Réessayez dans ${left}.`],
    notUnderstood: ['Demande invalide', `Rechargez la page et réessayez. ${nothingTaken}`],
    unavailable: [
      'Service indisponible',
      'Rechargez la page dans quelques secondes : elle dira où en est le paiement. Vous ne serez pas débité deux fois.',
    ],
    broken: [
      'Une erreur s’est produite',
      'Le problème vient de notre côté. Rechargez la page : elle dira où en est le paiement. Vous ne serez pas débité deux fois.',
    ],
    again: 'Recharger la page',
  },
  left: {
    days: ['#\u00a0jour', '#\u00a0jours', '#\u00a0jours', '#\u00a0jours'],
    hours: ['#\u00a0h', '#\u00a0h', '#\u00a0h', '#\u00a0h'],
    minutes: ['#\u00a0min', '#\u00a0min', '#\u00a0min', '#\u00a0min'],
    and: ' ',
    soon: 'moins d’une minute',
  },
}
