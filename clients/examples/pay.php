<?php // pay.php
require 'payment-intents-mru-1.1.0.php';

$payments = new PaymentIntentsMru\Payments(key: getenv('KEY'), baseUrl: getenv('BASE'));
$intent = $payments->createIntent(['amount' => 50000, 'label' => 'Order 1042']);
echo "The customer pays at $intent[payUrl]\n";

$paid = $payments->simulatePayment($intent['referenceNumber']);
echo "$paid[status] {$paid['payment']['amountPaid']}\n";
