# coding: utf-8
"""Word language model: an LSTM trained by truncated back-propagation through time with hand-written SGD."""
import argparse
import math
import time
import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm

parser = argparse.ArgumentParser(description='LSTM language model on generated sentences')
parser.add_argument('--emsize', type=int, default=12, help='size of word embeddings')
parser.add_argument('--nhid', type=int, default=12, help='number of hidden units per layer')
parser.add_argument('--nlayers', type=int, default=1, help='number of layers')
parser.add_argument('--lr', type=float, default=5, help='initial learning rate')
parser.add_argument('--clip', type=float, default=0.25, help='gradient clipping')
parser.add_argument('--epochs', type=int, default=2, help='upper epoch limit')
parser.add_argument('--batch_size', type=int, default=8, metavar='N', help='batch size')
parser.add_argument('--bptt', type=int, default=5, help='sequence length')
parser.add_argument('--seed', type=int, default=1111, help='random seed')
parser.add_argument('--cuda', type=bool, default=True, help='use CUDA')
parser.add_argument('--log-interval', type=int, default=4, metavar='N', help='report interval')
parser.add_argument('--save', type=str, default='model.pt', help='path to save the final model')
args = parser.parse_args()

# Set the random seed manually for reproducibility.
torch.manual_seed(args.seed)
torch_xla.manual_seed(args.seed)
if not args.cuda:
	print("WARNING: You have a CUDA device, so you should probably run with --cuda.")
device = torch_xla.device()

###############################################################################
# Data
###############################################################################

WORDS = {'det': ['the', 'a'], 'adj': ['old', 'red', 'tiny'], 'noun': ['dog', 'kite', 'boat', 'cat'],
	'verb': ['sees', 'likes', 'finds'], 'end': ['<eos>']}
vocabulary = [w for group in WORDS.values() for w in group]
word2idx = {w: i for i, w in enumerate(vocabulary)}
ntokens = len(vocabulary)


def generate(n_sentences, seed):
	g = torch.Generator().manual_seed(seed)
	ids = []
	for _ in range(n_sentences):
		for part in ('det', 'adj', 'noun', 'verb', 'det', 'noun', 'end'):
			choice = int(torch.randint(len(WORDS[part]), (1,), generator=g))
			ids.append(word2idx[WORDS[part][choice]])
	return torch.tensor(ids)

# Starting from sequential data, batchify arranges the dataset into columns:
# the columns are treated as independent by the model.

def batchify(data, bsz):
	# Work out how cleanly we can divide the dataset into bsz parts.
	nbatch = data.size(0) // bsz
	# Trim off any extra elements that wouldn't cleanly fit (remainders).
	data = data.narrow(0, 0, nbatch * bsz)
	# Evenly divide the data across the bsz batches.
	data = data.view(bsz, -1).t().contiguous()
	return data.to(device)

eval_batch_size = 4
train_data = batchify(generate(48, seed=0), args.batch_size)
val_data = batchify(generate(12, seed=1), eval_batch_size)
test_data = batchify(generate(12, seed=2), eval_batch_size)

###############################################################################
# Model
###############################################################################

class RNNModel(nn.Module):
	def __init__(self, ntoken, ninp, nhid, nlayers):
		super(RNNModel, self).__init__()
		self.encoder = nn.Embedding(ntoken, ninp)
		self.rnn = nn.LSTM(ninp, nhid, nlayers)
		self.decoder = nn.Linear(nhid, ntoken)
		self.encoder.weight.data.uniform_(-0.1, 0.1)
		self.decoder.bias.data.zero_()
		self.nhid, self.nlayers = nhid, nlayers

	def forward(self, input, hidden):
		output, hidden = self.rnn(self.encoder(input), hidden)
		return self.decoder(output.view(-1, self.nhid)), hidden

	def init_hidden(self, bsz):
		weight = next(self.parameters())
		return (weight.new_zeros(self.nlayers, bsz, self.nhid),
			weight.new_zeros(self.nlayers, bsz, self.nhid))

model = RNNModel(ntokens, args.emsize, args.nhid, args.nlayers).to(device)
criterion = nn.CrossEntropyLoss()


def repackage_hidden(h):
	"""Wraps hidden states in new Tensors, to detach them from their history."""
	if isinstance(h, torch.Tensor):
		return h.detach()
	return tuple(repackage_hidden(v) for v in h)


# The division of batches is not done along the batch dimension: that was handled by batchify.
# The last chunk of the data is shorter than bptt.
def get_batch(source, i):
	seq_len = min(args.bptt, len(source) - 1 - i)
	data = source[i:i+seq_len]
	target = source[i+1:i+1+seq_len].view(-1)
	return data, target


def evaluate(data_source):
	model.eval()
	total_loss = 0.
	hidden = model.init_hidden(eval_batch_size)
	with torch.no_grad():
		for i in range(0, data_source.size(0) - 1, args.bptt):
			data, targets = get_batch(data_source, i)
			output, hidden = model(data, hidden)
			hidden = repackage_hidden(hidden)
			torch_xla.sync()
			total_loss += len(data) * criterion(output, targets).item()
	return total_loss / (len(data_source) - 1)


def train():
	model.train()
	total_loss = 0.
	start_time = time.time()
	hidden = model.init_hidden(args.batch_size)
	for batch, i in enumerate(range(0, train_data.size(0) - 1, args.bptt)):
		data, targets = get_batch(train_data, i)
		# Detach the hidden state from how it was produced, or the model would
		# try back-propagating all the way to the start of the data.
		hidden = repackage_hidden(hidden)
		model.zero_grad()
		output, hidden = model(data, hidden)
		loss = criterion(output, targets)
		loss.backward()

		# clip_grad_norm_ helps prevent the exploding gradient problem in RNNs / LSTMs.
		torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
		for p in model.parameters():
			p.data.add_(p.grad, alpha=-lr)

		torch_xla.sync()
		total_loss += loss.item()
		if batch % args.log_interval == 0 and batch > 0:
			cur_loss = total_loss / args.log_interval
			elapsed = time.time() - start_time
			print('| epoch {:3d} | {:3d}/{:3d} batches | lr {:02.2f} | ms/batch {:5.2f} | loss {:5.2f} | ppl {:8.2f}'.format(
				epoch, batch, len(train_data) // args.bptt, lr,
				elapsed * 1000 / args.log_interval, cur_loss, math.exp(cur_loss)))
			total_loss = 0
			start_time = time.time()


# Loop over epochs.
lr = args.lr
best_val_loss = None

# At any point you can hit Ctrl + C to break out of training early.
try:
	for epoch in range(1, args.epochs+1):
		train()
		val_loss = evaluate(val_data)
		print('| end of epoch {:3d} | valid loss {:5.2f} | valid ppl {:8.2f}'.format(epoch, val_loss, math.exp(val_loss)))
		# Save the model if the validation loss is the best we've seen so far.
		if not best_val_loss or val_loss < best_val_loss:
			with open(args.save, 'wb') as f:
				xm.save(model.state_dict(), f)
			best_val_loss = val_loss
		else:
			# Anneal the learning rate if no improvement has been seen.
			lr /= 4.0
except KeyboardInterrupt:
	print('Exiting from training early')

# Load the best saved model.
with open(args.save, 'rb') as f:
	model.load_state_dict(torch.load(f, map_location='cpu'))
	# after load the rnn params are not a continuous chunk of memory: this speeds up the forward pass
	model.rnn.flatten_parameters()

test_loss = evaluate(test_data)
print('| End of training | test loss {:5.2f} | test ppl {:8.2f}'.format(test_loss, math.exp(test_loss)))
