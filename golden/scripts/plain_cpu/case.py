"""Factorization machine for movie ratings. Small enough for a laptop: runs on the CPU, no CUDA needed."""
import argparse
import csv
import time

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset, random_split

DEVICES = ("cpu",)  # "cuda" was dropped in v0.3: copying the batches took longer than the step


class FactorizationMachine(nn.Module):
    def __init__(self, n_users, n_movies, rank):
        super().__init__()
        self.user = nn.Embedding(n_users, rank)
        self.movie = nn.Embedding(n_movies, rank)
        self.user_bias = nn.Embedding(n_users, 1)
        self.movie_bias = nn.Embedding(n_movies, 1)
        self.mean = nn.Parameter(torch.tensor(3.0))
        for table in (self.user, self.movie):
            nn.init.normal_(table.weight, std=0.1)
        for table in (self.user_bias, self.movie_bias):
            nn.init.zeros_(table.weight)

    def forward(self, user, movie):
        interaction = (self.user(user) * self.movie(movie)).sum(dim=1)
        return self.mean + interaction + self.user_bias(user)[:, 0] + self.movie_bias(movie)[:, 0]


def simulate_ratings(n, n_users, n_movies, generator):
    users = torch.randint(n_users, (n,), generator=generator)
    movies = torch.randint(n_movies, (n,), generator=generator)
    taste = torch.randn(n_users, 2, generator=generator)
    genre = torch.randn(n_movies, 2, generator=generator)
    ratings = 3.0 + (taste[users] * genre[movies]).sum(dim=1)
    return TensorDataset(users, movies, ratings.clamp(1, 5))


def run_epoch(model, loader, loss_fn, optimizer=None):
    training = optimizer is not None
    model.train(training)
    total, count = 0.0, 0
    with torch.set_grad_enabled(training):
        for users, movies, ratings in loader:
            loss = loss_fn(model(users, movies), ratings)
            if training:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            total += loss.item() * len(ratings)
            count += len(ratings)
    return (total / count) ** 0.5


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--movies", type=int, default=15)
    parser.add_argument("--rank", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=25)
    parser.add_argument("--device", choices=DEVICES, default="cpu", help="kept for old job files; cuda is not supported")
    parser.add_argument("--history", default="history.csv")
    args = parser.parse_args()

    generator = torch.Generator().manual_seed(8)
    torch.manual_seed(8)
    torch.set_num_threads(1)

    ratings = simulate_ratings(240, args.users, args.movies, generator)
    train_set, test_set = random_split(ratings, [200, 40], generator=generator)
    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True, generator=generator)
    test_loader = DataLoader(test_set, batch_size=args.batch_size)

    model = FactorizationMachine(args.users, args.movies, args.rank).to(args.device)
    optimizer = optim.Adagrad(model.parameters(), lr=0.1)
    scheduler = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
    loss_fn = nn.MSELoss()

    with open(args.history, "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(["epoch", "train_rmse", "test_rmse", "seconds"])
        for epoch in range(args.epochs):
            start = time.time()
            train_rmse = run_epoch(model, train_loader, loss_fn, optimizer)
            test_rmse = run_epoch(model, test_loader, loss_fn)
            scheduler.step()
            writer.writerow([epoch, train_rmse, test_rmse, time.time() - start])
            print(f"epoch {epoch}: train RMSE {train_rmse:.3f}, test RMSE {test_rmse:.3f}")

    torch.save(model.state_dict(), "factorization_machine.pt")


if __name__ == "__main__":
    main()
