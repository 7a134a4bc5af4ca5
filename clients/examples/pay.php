<?php // pay.php
require 'client.php';

$intent = call('POST', '/dev/intents', ['amount' => 50000, 'label' => 'Order 1042']);
echo "The customer pays at $intent[payUrl]\n";

$intent = call('POST', "/dev/intents/$intent[referenceNumber]/simulate-payment");
echo "$intent[status] {$intent['payment']['amountPaid']}\n";
