<?php // shop.php
require 'payment-intents-mru-1.1.0.php';
use PaymentIntentsMru\{Payments, PaymentsError};
use function PaymentIntentsMru\{signWebhook, verifyWebhook};

$payments = new Payments(key: getenv('KEY'), baseUrl: getenv('BASE'));

// Each operation is a method. Ids come first, and then an array of all else.
$intent = $payments->createIntent(['amount' => 50000, 'label' => 'Order 1042']);
$payments->simulatePayment($intent['referenceNumber']);

foreach ($payments->listAll('listIntents', ['paidFrom' => '2026-01-01']) as $each) {
    echo "Paid: {$each['payment']['amountPaid']}\n";
}

$events = $payments->followEvents(type: 'payment.confirmed');
foreach ($events as $event) {
    echo "Event: $event[type]\n";
    [$body, $secret] = [json_encode($event['body']), getenv('WEBHOOK_SECRET') ?: 'test'];
    $verified = verifyWebhook($body, signWebhook($body, $secret), $secret);
    echo 'Verified: ', $verified['eventId'] === $event['id'] ? 'true' : 'false', "\n";
    break;
}

try {
    $payments->cancelIntent($intent['referenceNumber']);
} catch (PaymentsError $error) {
    echo "Refused: $error->errorCode\n";
}
