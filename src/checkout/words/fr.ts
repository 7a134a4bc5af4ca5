import type { CheckoutTexts } from './en.ts'

const nothingTaken = 'Aucun montant n’a été débité.'

export const frenchCheckoutTexts: CheckoutTexts = {
  test: 'Mode test\u00a0: aucune somme réelle n’est débitée.',
  nothingTaken,
  notPaid: 'Paiement non effectué',
  pay: {
    title: (amount) => `Payer ${amount}`,
    expiresToday: (clock, left) => `À payer avant ${clock}. Il reste ${left}.`,
    expires: (moment, left) => `À payer avant le ${moment}. Il reste ${left}.`,
    phone: 'Numéro de téléphone',
    inOuguiya: (total, old) => `Soit ${total} en nouvelles ouguiyas (${old} en anciennes).`,
    phoneHint: 'Les 8 chiffres du numéro de votre portefeuille mobile.',
    pin: 'Code PIN',
    pinHint: 'De 4 à 6 chiffres. Seul votre portefeuille le voit, pas le commerçant.',
    button: (amount) => `Payer ${amount}`,
    busy: 'Paiement en cours…',
    changeAmount: 'Modifier le montant',
    leave: 'Revenir au site du commerçant sans payer',
  },
  amount: {
    title: 'Quel montant voulez-vous payer\u202f?',
    button: 'Continuer',
  },
  code: {
    title: 'Payer avec un code',
    label: 'Code de paiement',
    hint: 'Les 6 chiffres que le commerçant vous a donnés.',
    button: 'Continuer',
    unknown: 'Ce code n’est pas valable. Vérifiez-le avec le commerçant.',
  },
  qr: {
    title: (amount) => `Scannez pour payer ${amount}`,
    titleOpen: 'Scannez pour payer',
    image: 'Code QR de la page de paiement',
    code: (address) => `Ou ouvrez ${address} et saisissez ce code\u00a0:`,
    download: (format) => `Télécharger en ${format}`,
  },
  faults: {
    phone: 'Saisissez votre numéro de téléphone\u00a0: 8 chiffres, par exemple 22 34 56 78',
    pin: 'Saisissez votre code PIN\u00a0: de 4 à 6 chiffres',
    pinDoesNotFit: 'Le numéro de téléphone ou le code PIN est incorrect',
    code: 'Saisissez les 6 chiffres du code',
  },
  notices: {
    wallet_locked: `Ce portefeuille est bloqué après plusieurs codes PIN incorrects. ${nothingTaken} Réessayez plus tard, ou payez avec un autre portefeuille.`,
    insufficient_funds: `Le solde de ce portefeuille est insuffisant. ${nothingTaken} Rechargez-le, puis réessayez, ou payez avec un autre portefeuille.`,
    limit_exceeded: `Ce montant dépasse la limite de ce portefeuille. ${nothingTaken} Réessayez plus tard, ou payez avec un autre portefeuille.`,
    declined: `Le portefeuille a refusé ce paiement. ${nothingTaken} Réessayez plus tard, ou payez avec un autre portefeuille.`,
    notExecuted: `Le paiement n’a pas pu être lancé. ${nothingTaken} Réessayez.`,
    formTooOld: `Cette page n’est plus à jour. ${nothingTaken} Saisissez à nouveau votre code PIN.`,
    totalChanged: `Le total a changé. ${nothingTaken} Vérifiez le nouveau total et saisissez à nouveau votre code PIN.`,
  },
  panels: {
    waiting: [
      'Paiement en cours',
      'Nous attendons la confirmation de votre portefeuille. Ne payez pas une deuxième fois\u00a0: cette page s’actualise automatiquement.',
    ],
    paid: 'Paiement réussi',
    paidBefore: ['Ce paiement a déjà été effectué', 'Aucun montant n’a été débité pour cette tentative.'],
    refunded: 'Paiement remboursé',
    refundedInPart: 'Paiement partiellement remboursé',
    cancelled: ['Paiement annulé', `Cette demande de paiement a été annulée. ${nothingTaken}`],
    expired: [
      'Délai dépassé',
      `${nothingTaken} Demandez au commerçant de vous envoyer un nouveau lien de paiement.`,
    ],
    failed: [
      'Le paiement a échoué',
      `${nothingTaken} Demandez au commerçant de vous envoyer un nouveau lien de paiement.`,
    ],
    unavailable: ['Paiement impossible pour le moment', `${nothingTaken} Réessayez un peu plus tard.`],
  },
  facts: {
    amount: 'Montant',
    fee: 'Frais',
    total: 'Total',
    refunded: 'Remboursé',
    merchant: 'Commerçant',
    label: 'Motif',
    paidAt: 'Date',
    wallet: 'Payé avec',
    reference: 'Référence',
    merchantReference: 'Référence du commerçant',
  },
  back: {
    link: 'Revenir au site du commerçant',
    leaving: 'Vous serez redirigé vers le site du commerçant dans 5 secondes.',
    stay: 'Rester ici',
  },
  notes: {
    notFound: ['Page introuvable', 'Il n’y a rien à payer à cette adresse. Vérifiez le lien.'],
    foreign: ['Demande refusée', `Ce formulaire ne vient pas de notre page. ${nothingTaken}`],
    tooLarge: ['Formulaire trop long', `Le formulaire envoyé est trop volumineux. ${nothingTaken}`],
    tooMany: (left) => ['Trop de tentatives', `Réessayez dans ${left}.`],
    notUnderstood: ['Demande invalide', `Rouvrez la page et réessayez. ${nothingTaken}`],
    unavailable: [
      'Service indisponible',
      'Rouvrez la page dans quelques secondes\u00a0: elle indiquera où en est le paiement. Vous ne serez pas débité deux fois.',
    ],
    broken: [
      'Une erreur s’est produite',
      'Le problème vient de notre côté. Rouvrez la page\u00a0: elle indiquera où en est le paiement. Vous ne serez pas débité deux fois.',
    ],
    again: 'Rouvrir la page',
  },
}
