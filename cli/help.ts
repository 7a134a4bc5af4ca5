export const help = `Shows the events of a test key as they happen, and forwards them to a server on your machine.

Usage:
  payment-intents listen [options]
  payment-intents trigger EVENT [options]
  payment-intents secret

Commands:
  listen    follows the events until Ctrl-C, and prints a line for each
  trigger   causes an event with test data, such as payment.confirmed. Without a name, lists the events
  secret    prints the secret that signs the forwarded webhooks

Options of listen:
  --forward URL         sends each event to this URL, signed like a webhook of the service
  --header 'NAME: VALUE'  sends your own header with each event. Can be repeated
  --insecure            accepts any certificate of an https server on this machine
  --events NAMES        shows only these events, separated by commas
  --replay-last N       begins with the last N events (1 to 100), oldest first
  --json                prints the body of each event as one line of JSON
  --header-brand NAME   sends headers such as X-NAME-Signature. Defaults to the NAME of the service's webhooks

listen forwards each event once, even if your server rejects it. Fix your server, then use --replay-last.

Options of trigger, in place of its own test data:
  --amount CENTIMES     --label TEXT          --reference TEXT      --metadata KEY=VALUE (can be repeated)
  --phone NUMBER        of the customer: payment.confirmed, payment.failed and payment.refunded
  --refund-amount CENTIMES, --reason TEXT     payment.refunded
order.new has none of these options.

Options of listen and trigger:
  --base-url URL        the address of the service. Defaults to where npx installed the package from

Environment:
  PAYMENTS_API_KEY   a secret test key (sk_test_…). Without it, the command prompts for the key
  PAYMENTS_API_URL   the address of the service, if --base-url is not given
  WEBHOOK_SECRET     signs the forwarded webhooks, instead of the secret stored on this machine`
